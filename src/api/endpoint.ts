import type * as z from "zod";
import type { AuditTrail } from "../service/audit-trail.ts";
import type { QueueDoctor } from "../service/doctor/queue-doctor.ts";
import type { Bundles } from "../service/flaky/bundles.ts";
import type { Quarantines } from "../service/flaky/quarantines.ts";
import type { RepositoryTestSettings } from "../service/flaky/repository-test-settings.ts";
import type { TestIngest } from "../service/flaky/test-ingest.ts";
import type { TestReader } from "../service/flaky/test-reader.ts";
import type { TestRepositories } from "../service/flaky/test-repositories.ts";
import type { Outcome, Refusal } from "../service/outcome.ts";
import type { QueueService } from "../service/queue-service.ts";
import type { Principal } from "../service/token-service.ts";
import type { Webhooks } from "../service/webhooks/webhooks.ts";
import { type Requirement, reaches } from "./authenticate.ts";
import type { ParsedBody } from "./parse-body.ts";
import type { Problem } from "./problem.ts";
import { refusalProblem } from "./refusal-problem.ts";
import type { QueueBody } from "./schema/queue-address.ts";
import type { RepositoryBody } from "./schema/repository.ts";

/** What an endpoint works with. */
export interface Call {
  readonly queues: QueueService;
  readonly tests: Pick<TestIngest, "upload" | "judge">;
  readonly bundles: Pick<Bundles, "open" | "quarantined">;
  readonly testRepositories: Pick<TestRepositories, "check">;
  readonly quarantines: Quarantines;
  readonly testSettings: RepositoryTestSettings;
  /** Where the service was reached. */
  readonly origin: string;
  readonly webhooks: Webhooks;
  readonly doctor: Pick<QueueDoctor, "examine">;
  readonly knownTests: TestReader;
  readonly audit: Pick<AuditTrail, "list">;
  readonly principal: Principal;
}

export type Served =
  | { readonly ok: true; readonly answer: unknown }
  | {
      readonly ok: false;
      readonly problem: Problem;
      /** It is about what the principal may not know of. */
      readonly outOfReach?: true;
    };

interface Description<Body extends z.ZodType, Answer extends z.ZodType> extends Requirement {
  /** Below /v1; its name in the list, unless told. */
  readonly path?: string;
  /** One line for the documentation. */
  readonly summary: string;
  /** Whether it changes something, so that it is done once under its idempotency key, and kept in the audit log. */
  readonly kind: "command" | "question";
  /** Whether it is about something that may not be there, or not for whoever asks. */
  readonly finds: boolean;
  readonly body: Body;
  /** A faster parser for this endpoint's body. Returns null when the general parser has to be used. */
  readonly parse?: (body: Buffer) => unknown;
  readonly answer: Answer;
  /** What of an answer may be kept, to be given again under the same Idempotency-Key; all of it unless told. */
  readonly withoutSecret?: (answer: z.output<Answer>) => z.output<Answer>;
}

/** An endpoint of /v1: `POST /v1/<its path>`. */
export interface Endpoint<Body extends z.ZodType, Answer extends z.ZodType>
  extends Description<Body, Answer> {
  /** Keeps to the token's organisation, and handles a call whose body was read by its schema. */
  serve(read: ParsedBody<unknown>, call: Call): Promise<Served>;
}

/** Makes an endpoint about the queue of a branch of its description and of what it does with a valid body. */
export function endpoint<Body extends z.ZodType<QueueBody>, Answer extends z.ZodType>(
  description: Omit<Description<Body, Answer>, "kind" | "finds">,
  handle: (body: z.output<Body>, call: Call) => Promise<Outcome<z.output<Answer>>>,
): Endpoint<Body, Answer> {
  return {
    ...description,
    kind: description.scope === "read" ? "question" : "command",
    finds: true,
    async serve(read, call) {
      const parsed = read as ParsedBody<z.output<Body>>;
      if (!parsed.ok) return parsed;
      const { repo, targetBranch } = parsed.body;
      // In the words for a queue that is not there: that another organisation has one is not for this token to know.
      if (!reaches(call.principal, repo))
        return { ...refused({ code: "QUEUE_NOT_FOUND", branch: targetBranch }), outOfReach: true };
      return served(await handle(parsed.body, call));
    },
  };
}

/** Makes an endpoint about a repository, whatever its queues. */
export function repositoryEndpoint<Body extends z.ZodType<RepositoryBody>, Answer extends z.ZodType>(
  description: Omit<Description<Body, Answer>, "finds">,
  handle: (body: z.output<Body>, call: Call) => Promise<Outcome<z.output<Answer>>>,
): Endpoint<Body, Answer> {
  return {
    ...description,
    finds: true,
    async serve(read, call) {
      const parsed = read as ParsedBody<z.output<Body>>;
      if (!parsed.ok) return parsed;
      // In the same words whether or not another organisation has it.
      if (!reaches(call.principal, parsed.body.repo))
        return { ...refused({ code: "REPOSITORY_NOT_FOUND" }), outOfReach: true };
      return served(await handle(parsed.body, call));
    },
  };
}

/** Makes an endpoint about what the principal's organisation has, whatever the repository. */
export function organisationEndpoint<Body extends z.ZodType, Answer extends z.ZodType>(
  description: Description<Body, Answer>,
  handle: (
    body: z.output<Body>,
    call: Call & { readonly organisation: string },
  ) => Promise<Outcome<z.output<Answer>>>,
): Endpoint<Body, Answer> {
  return {
    ...description,
    async serve(read, call) {
      const { organisation } = call.principal;
      if (organisation === null) return { ok: false, problem: ofNobody };
      const parsed = read as ParsedBody<z.output<Body>>;
      return parsed.ok ? served(await handle(parsed.body, { ...call, organisation })) : parsed;
    },
  };
}

/** The service's own bot speaks for no organisation. */
const ofNobody: Problem = {
  code: "SCOPE_MISSING",
  detail: "This is about the organisation of a token; the one sent belongs to none.",
};

function served(outcome: Outcome<unknown>): Served {
  return outcome.ok ? { ok: true, answer: outcome.value } : refused(outcome.refusal);
}

function refused(refusal: Refusal): Extract<Served, { ok: false }> {
  return { ok: false, problem: refusalProblem(refusal) };
}
