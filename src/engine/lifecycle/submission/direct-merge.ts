import type { Decision } from "../../decision.ts";
import type { Entry } from "../../model/entry.ts";
import type { DirectMergeObstacle } from "../../model/head-examination.ts";
import type { Observation } from "../../model/input.ts";
import { depend } from "../../model/order/dependencies.ts";
import { isBeingMerged, isFrozen, mayMerge } from "../../model/order/may-merge.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";

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
  { pr, headSha, base, outcome }: Extract<Observation, { type: "head_examined" }>,
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
