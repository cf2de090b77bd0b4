import type * as z from "zod";
import type { TokenScope } from "../ports/token-store.ts";
import type { Outcome, Refusal } from "../service/outcome.ts";
import type { QueueService } from "../service/queue-service.ts";
import type { Principal } from "../service/token-service.ts";
import { reaches } from "./authenticate.ts";
import { parseBody } from "./parse-body.ts";
import type { Problem } from "./problem.ts";
import { refusalProblem } from "./refusal-problem.ts";
import type { QueueBody } from "./schema/queue-address.ts";

/** What an endpoint works with. */
export interface Call {
  readonly queues: QueueService;
  readonly principal: Principal;
}

export type Served =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly problem: Problem };

interface Description<Body extends z.ZodType<QueueBody>, Answer extends z.ZodType> {
  /** One line for the documentation. */
  readonly summary: string;
  /** What a token needs to call it. */
  readonly scope: TokenScope;
  readonly body: Body;
  readonly answer: Answer;
}

/** An endpoint of /v1: `POST /v1/<its name in the list>`. */
export interface Endpoint<Body extends z.ZodType<QueueBody>, Answer extends z.ZodType>
  extends Description<Body, Answer> {
  /** Validates the body, keeps to the token's organisation, and handles the call. */
  serve(body: unknown, call: Call): Promise<Served>;
}

/** Makes an endpoint of its description and of what it does with a valid body. */
export function endpoint<Body extends z.ZodType<QueueBody>, Answer extends z.ZodType>(
  description: Description<Body, Answer>,
  handle: (body: z.output<Body>, call: Call) => Promise<Outcome<z.output<Answer>>>,
): Endpoint<Body, Answer> {
  return {
    ...description,
    async serve(input, call) {
      const parsed = parseBody(description.body, input);
      if (!parsed.ok) return parsed;
      const { repo, targetBranch } = parsed.body;
      // In the words for a queue that is not there: that another organisation has one is not for this token to know.
      if (!reaches(call.principal, repo.owner))
        return refused({ code: "QUEUE_NOT_FOUND", branch: targetBranch });
      const outcome = await handle(parsed.body, call);
      return outcome.ok ? { ok: true, answer: outcome.value } : refused(outcome.refusal);
    },
  };
}

function refused(refusal: Refusal): Served {
  return { ok: false, problem: refusalProblem(refusal) };
}
