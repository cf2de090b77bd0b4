import type { Decision } from "./decision.ts";
import { declineDirectMerge } from "./direct-merge.ts";
import type { MergeAttempt } from "./merge-attempt.ts";
import type { QueueState } from "./queue.ts";

/** Whether GitHub has been asked to merge it, so that nothing but the outcome may move it. */
export function isMergeCalled({ merge }: QueueState, pr: number): boolean {
  const index = merge?.steps.findIndex((step) => step.pr === pr) ?? -1;
  return merge !== null && index >= 0 && index < firstRecallable(merge);
}

/** Whether GitHub was asked to merge it at any time, so that what has merged may be the merge that was ordered. */
export function wasMergeCalled({ merge }: QueueState, pr: number): boolean {
  const index = merge?.steps.findIndex((step) => step.pr === pr) ?? -1;
  return index >= 0 && index < (merge?.everCalled ?? 0);
}

/**
 * Calls off what of the ordered merge GitHub was not asked for yet. Whatever of that may still merge is ordered again when the
 * input has been decided.
 */
export function recallMerge(decision: Decision): void {
  const { merge } = decision.state;
  const from = merge ? firstRecallable(merge) : 0;
  if (!merge || from >= merge.steps.length) return;
  decision.record({ type: "merge_recalled", attemptId: merge.id, from });
  if (merge.direct) for (const { pr } of merge.steps) declineDirectMerge(decision, pr, "OVERTAKEN");
}

/** What was tested together merges together: once a part of it was called, so is the rest. */
function firstRecallable({ steps, called = 0 }: MergeAttempt): number {
  const rest = steps.findIndex(({ runId }, index) => index >= called && runId !== steps[index - 1]?.runId);
  if (called === 0) return 0;
  return rest < 0 ? steps.length : rest;
}
