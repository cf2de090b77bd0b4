import type { Decision } from "../../decision.ts";
import type { MergeAttempt } from "../../model/merge-attempt.ts";
import type { QueueState } from "../../model/queue.ts";
import { declineDirectMerge } from "../submission/direct-merge.ts";

/** Whether GitHub has been asked to merge a pull request, or others of its run, so that only the outcome may move it. */
export function isMergeCalled({ merge }: QueueState, pr: number): boolean {
  return merge !== null && isAmongFirst(merge, pr, firstRecallable(merge));
}

/** Whether GitHub was ever asked to merge a pull request in this attempt. If so, an observed merge may be ours. */
export function wasMergeCalled({ merge }: QueueState, pr: number): boolean {
  return merge !== null && isAmongFirst(merge, pr, merge.everCalled ?? 0);
}

function isAmongFirst({ steps }: MergeAttempt, pr: number, count: number): boolean {
  return steps.slice(0, count).some((step) => step.pr === pr);
}

/**
 * Recalls the steps of the ordered merge that GitHub has not been asked for. Those that may still merge are ordered again at the end of
 * the decision.
 */
export function recallMerge(decision: Decision): void {
  const { merge } = decision.state;
  const from = merge ? firstRecallable(merge) : 0;
  if (!merge || from >= merge.steps.length) return;
  decision.record({ type: "merge_recalled", attemptId: merge.id, from });
  if (merge.direct) for (const { pr } of merge.steps) declineDirectMerge(decision, pr, "OVERTAKEN");
}

/** Returns the index of the first step that can be recalled. Steps of one run merge together: after a call of one, none can be recalled. */
function firstRecallable({ steps, called = 0 }: MergeAttempt): number {
  const rest = steps.findIndex(({ runId }, index) => index >= called && runId !== steps[index - 1]?.runId);
  if (called === 0) return 0;
  return rest < 0 ? steps.length : rest;
}
