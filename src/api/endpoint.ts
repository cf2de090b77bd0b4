import type * as z from "zod";
import type { Principal } from "../service/access/tokens.ts";
import type { Service } from "../service/create-service.ts";
import { accepted, type Outcome, type Refusal } from "../service/runtime/outcome.ts";
import { type Requirement, reaches } from "./access/authenticate.ts";
import type { ParsedBody } from "./bodies/parse-json.ts";
import { type Problem, refusalProblem } from "./problems/problem.ts";
import type { QueueBody, RepositoryBody } from "./schema/addresses.ts";

export interface Call
  extends Pick<
    Service,
    | "queues"
    | "tests"
    | "knownTests"
    | "testedCommits"
    | "bundles"
    | "testRepositories"
    | "quarantines"
    | "testSettings"
    | "webhooks"
    | "doctor"
    | "audit"
    | "roles"
  > {
  /** The service's address that the client used. */
  readonly origin: string;
  readonly principal: Principal;
}

export type Served =
  | { readonly ok: true; readonly answer: unknown }
  | {
      readonly ok: false;
      readonly problem: Problem;
      /** Set when the principal must not learn whether the requested object exists. */
      readonly outOfReach?: true;
    };

interface Description<Body extends z.ZodType, Answer extends z.ZodType> extends Requirement {
  /** The path below /v1; by default the endpoint's name. */
  readonly path?: string;
  /** One line for the documentation. */
  readonly summary: string;
  /** A command changes something: it is carried out once per idempotency key and recorded in the audit log. */
  readonly kind: "command" | "question";
  /** Set when the repository need not have a queue: it is created, or has been deleted already. */
  readonly needsNoQueue?: true;
  /** Whether the subject of the request may be missing, or hidden from the caller. */
  readonly finds: boolean;
  readonly body: Body;
  /** A faster parser for this endpoint's body. Returns null when the general parser has to be used. */
  readonly parse?: (body: Buffer) => unknown;
  readonly answer: Answer;
  /** Removes secrets from an answer that is stored for its Idempotency-Key. By default the whole answer is stored. */
  readonly withoutSecret?: (answer: z.output<Answer>) => z.output<Answer>;
}

/** An endpoint of /v1: `POST /v1/<its path>`. */
export interface Endpoint<Body extends z.ZodType, Answer extends z.ZodType>
  extends Description<Body, Answer> {
  /** Handles a call whose body was parsed with the schema. Refuses access to other organisations. */
  serve(read: ParsedBody<unknown>, call: Call): Promise<Served>;
}

/** Creates an endpoint about the queue of a branch. */
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
      if (!reaches(call.principal, repo)) {
        // Same words as for what is missing: the sender must not learn that somebody else has it.
        const absent = description.needsNoQueue
          ? { ok: false as const, problem: unknownRepository }
          : refused({ code: "QUEUE_NOT_FOUND", branch: targetBranch });
        return { ...absent, outOfReach: true };
      }
      return served(await handle(parsed.body, call));
    },
  };
}

/** Creates an endpoint about a repository, with or without queues. */
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
      // The same words, whether or not another organisation has the repository.
      if (!reaches(call.principal, parsed.body.repo))
        return { ...refused({ code: "REPOSITORY_NOT_FOUND" }), outOfReach: true };
      return served(await handle(parsed.body, call));
    },
  };
}

/** Creates an endpoint about the principal's organisation, not about one repository. */
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

const unknownRepository: Problem = {
  code: "REPOSITORY_NOT_FOUND",
  detail:
    "The App of this service is not installed on a repository of this name that you can see. Check its host, owner and name, and install the App on it. A token reaches only the repositories of its own organisation, a person those that GitHub shows to them.",
};

/** The service's own bot belongs to no organisation. */
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

/** Converts an accepted value to its form on the wire. Returns a refusal as it is. */
export function presented<View, Answer>(
  outcome: Outcome<View>,
  present: (view: View) => Answer,
): Outcome<Answer> {
  return outcome.ok ? accepted(present(outcome.value)) : outcome;
}
