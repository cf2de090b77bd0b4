import type { MergeOutcome } from "../model/merge-attempt.ts";
import type { QueueState } from "../model/queue.ts";
import type { QueueRefusal } from "../model/queue-refusal.ts";

/** The last refusal for a cause outside the pull request, after a merge attempt. A merge shows that the cause is gone. */
export function refusalAfter(
  { merge, lastRefusal }: Pick<QueueState, "merge" | "lastRefusal">,
  { merged, stop }: MergeOutcome,
): QueueRefusal | undefined {
  const step = merge?.steps[merged.length];
  if (stop?.kind === "not_allowed" && step) return { pr: step.pr, cause: stop.cause ?? "OTHER" };
  return merged.length > 0 ? undefined : lastRefusal;
}
