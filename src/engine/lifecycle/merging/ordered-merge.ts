import type { Decision } from "../../decision.ts";
import type { Entry } from "../../model/entry.ts";
import type { InputOf } from "../../model/input.ts";
import type { DirectMergeObstacle, MergeAttempt } from "../../model/merge-attempt.ts";
import { depend, isBeingMerged, isFrozen, mayMerge } from "../../model/order/dependencies.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";

/**
 * Whether GitHub has been asked to merge a pull request, or another one of its run. Then only the outcome of the merge may move its entry.
 */
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

/**
 * Requests an examination of the head of an entry that has just become ready, if it may merge without a test run (`directMergeMode`),
 * because no entry shares its lane. Until the result is there, entries that depend on it wait behind it.
 */
export function considerDirectMerge(decision: Decision, pr: number): void {
  const { state } = decision;
  const base = baseTip(state);
  const entry = state.entries.get(pr);
  if (state.settings.directMergeMode === "off" || base === null || entry?.state !== "pending") return;
  if (!startsTests(state.status) || isFrozen(state, entry) || state.merge || hasCompany(state, entry)) return;
  decision.record({ type: "direct_merge_considered", pr, headSha: entry.headSha, base });
}

/** Orders the merge, or makes the entry wait for its tests like any other. A result for another head or base changes nothing. */
export function concludeExamination(
  decision: Decision,
  { pr, headSha, base, outcome }: InputOf<"head_examined">,
): void {
  const { state, context } = decision;
  const entry = state.entries.get(pr);
  if (entry?.directOnto !== base || entry.headSha !== headSha || isBeingMerged(state, pr)) return;
  if (outcome.kind === "obstacle") return declineDirectMerge(decision, pr, outcome.obstacle);
  const isCurrent = baseTip(state) === base && !state.merge && mayMerge(state, entry);
  if (!isCurrent) return declineDirectMerge(decision, pr, "OVERTAKEN");
  const { treeSha, required = [] } = outcome;
  const step = { pr, runId: null, headSha, treeSha, parentSha: base, commitSha: headSha };
  const { mergeMethod: method } = state.settings;
  decision.record({
    type: "merge_started",
    attempt: { id: context.newId(), method, base, steps: [step], composed: false, direct: true, required },
  });
}

/** Makes an examined entry wait for its tests like any other. */
export function declineDirectMerge(decision: Decision, pr: number, because: DirectMergeObstacle): void {
  if (decision.state.entries.has(pr)) decision.record({ type: "direct_merge_declined", pr, because });
}

/** Whether another entry that is ready is in the lane of an entry. */
function hasCompany(state: QueueState, entry: Entry): boolean {
  for (const other of state.entries.values()) {
    if (other.pr !== entry.pr && other.state !== "not_ready" && depend(state, entry, other)) return true;
  }
  return false;
}
