import { type Refusal, renderRefusal } from "../service/outcome.ts";
import type { Problem } from "./problem.ts";

/** When the code host does not say how long it wants to be left alone. */
const defaultRetryMs = 10_000;

/** A refusal of the service as the answer to a request. */
export function refusalProblem(refusal: Refusal): Problem {
  const problem = { code: refusal.code, detail: renderRefusal(refusal) };
  switch (refusal.code) {
    case "QUEUE_NOT_FOUND":
      // A queue of another organisation is answered in the same words, so that they must fit both.
      return {
        ...problem,
        detail: `${problem.detail} A token reaches only the repositories of its own organisation, a workflow only its own repository.`,
      };
    case "CODE_HOST_UNAVAILABLE":
      return { ...problem, headers: { "retry-after": seconds(refusal.retryAfterMs ?? defaultRetryMs) } };
    default:
      return problem;
  }
}

function seconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)));
}
