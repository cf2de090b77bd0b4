import { type Refusal, renderRefusal } from "../../service/runtime/outcome.ts";
import type { Problem } from "./problem.ts";

/** Used when the code host does not say how long to wait. */
const defaultRetryMs = 10_000;

/** Converts a refusal of the service into the answer to a request. */
export function refusalProblem(refusal: Refusal): Problem {
  const problem = { code: refusal.code, detail: renderRefusal(refusal) };
  switch (refusal.code) {
    case "QUEUE_NOT_FOUND":
      // A queue of another organisation gets the same words, so they must fit both cases.
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
