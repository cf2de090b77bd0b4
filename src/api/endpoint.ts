import type * as z from "zod";
import type { AuditTrail } from "../service/audit-trail.ts";
import type { Outcome, Refusal } from "../service/outcome.ts";
import type { QueueService } from "../service/queue-service.ts";
import type { Principal } from "../service/token-service.ts";
import { type Requirement, reaches } from "./authenticate.ts";
import { parseBody } from "./parse-body.ts";
import type { Problem } from "./problem.ts";
import { refusalProblem } from "./refusal-problem.ts";
import type { QueueBody } from "./schema/queue-address.ts";

/** What an endpoint works with. */
export interface Call {
  readonly queues: QueueService;
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
  /** One line for the documentation. */
  readonly summary: string;
  /** Whether it changes something, so that it is done once under its idempotency key, and kept in the audit log. */
  readonly kind: "command" | "question";
  readonly body: Body;
  readonly answer: Answer;
}

/** An endpoint of /v1: `POST /v1/<its name in the list>`. */
export interface Endpoint<Body extends z.ZodType, Answer extends z.ZodType>
  extends Description<Body, Answer> {
  /** Validates the body, keeps to the token's organisation, and handles the call. */
  serve(body: unknown, call: Call): Promise<Served>;
}

type Given<Body extends z.ZodType, Answer extends z.ZodType> = Omit<Description<Body, Answer>, "kind">;

/** Makes an endpoint about a queue of its description and of what it does with a valid body. */
export function endpoint<Body extends z.ZodType<QueueBody>, Answer extends z.ZodType>(
  description: Given<Body, Answer>,
  handle: (body: z.output<Body>, call: Call) => Promise<Outcome<z.output<Answer>>>,
): Endpoint<Body, Answer> {
  return {
    ...description,
    kind: description.scope === "read" ? "question" : "command",
    async serve(input, call) {
      const parsed = parseBody(description.body, input);
      if (!parsed.ok) return parsed;
      const { repo, targetBranch } = parsed.body;
      // In the words for a queue that is not there: that another organisation has one is not for this token to know.
      if (!reaches(call.principal, repo))
        return { ...refused({ code: "QUEUE_NOT_FOUND", branch: targetBranch }), outOfReach: true };
      const outcome = await handle(parsed.body, call);
      return outcome.ok ? { ok: true, answer: outcome.value } : refused(outcome.refusal);
    },
  };
}

/** Makes an endpoint that answers a question about the principal's own organisation. */
export function organisationEndpoint<Body extends z.ZodType, Answer extends z.ZodType>(
  description: Given<Body, Answer>,
  handle: (body: z.output<Body>, call: Call) => Promise<z.output<Answer>>,
): Endpoint<Body, Answer> {
  return {
    ...description,
    kind: "question",
    async serve(input, call) {
      const parsed = parseBody(description.body, input);
      return parsed.ok ? { ok: true, answer: await handle(parsed.body, call) } : parsed;
    },
  };
}

function refused(refusal: Refusal): Extract<Served, { ok: false }> {
  return { ok: false, problem: refusalProblem(refusal) };
}
