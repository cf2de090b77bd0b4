import { assertNever } from "./assert-never.ts";
import type { Decision } from "./decision.ts";
import { depend } from "./dependencies.ts";
import type { Entry } from "./entry.ts";
import { isFrozen, mayMerge } from "./freeze.ts";
import type { Observation } from "./input.ts";
import { baseTip, type QueueState, startsTests } from "./queue.ts";
import { isBeingMerged } from "./run-end.ts";

/** Why a pull request does not merge without a test run. */
export type DirectMergeObstacle =
  /** Its head does not contain the base, or nothing but the base. */
  | "NOT_UP_TO_DATE"
  /** A required check on its head has failed, or has not passed yet. */
  | "CHECKS_NOT_PASSED"
  /** Nothing could prove that its head passed. */
  | "NO_REQUIRED_CHECKS"
  /** The code host did not answer. */
  | "UNREADABLE"
  /** Something changed while its head was looked at, or while it was being merged. */
  | "OVERTAKEN";

export function renderObstacle(obstacle: DirectMergeObstacle): string {
  switch (obstacle) {
    case "NOT_UP_TO_DATE":
      return "its head is not up to date with the target branch";
    case "CHECKS_NOT_PASSED":
      return "not every required check has passed on its head";
    case "NO_REQUIRED_CHECKS":
      return "no required checks are configured";
    case "UNREADABLE":
      return "GitHub did not say what its head is like";
    case "OVERTAKEN":
      return "something changed meanwhile";
    default:
      return assertNever(obstacle);
  }
}

/** What was found on a head. Passed: it holds the base and more, and every required check has passed on it. */
export type HeadExamination =
  | { readonly kind: "passed"; readonly treeSha: string }
  | { readonly kind: "obstacle"; readonly obstacle: DirectMergeObstacle };

/**
 * Has the head of an entry that has just become ready examined, if it may merge without a test run (`directMergeMode`):
 * nothing that it depends on is ahead of it. Until the answer is there, what depends on it waits behind it.
 */
export function considerDirectMerge(decision: Decision, pr: number): void {
  const { state } = decision;
  const base = baseTip(state);
  const entry = state.entries.get(pr);
  if (state.settings.directMergeMode === "off" || base === null || entry?.state !== "pending") return;
  if (!startsTests(state.status) || isFrozen(state, entry) || state.merge || hasCompany(state, entry)) return;
  decision.record({ type: "direct_merge_considered", pr, headSha: entry.headSha, base });
}

/** Orders the merge, or lets the entry wait for its tests like any other. An answer about something else changes nothing. */
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
  const { treeSha } = outcome;
  const step = { pr, runId: null, headSha, treeSha, parentSha: base, commitSha: headSha };
  const { mergeMethod: method } = state.settings;
  decision.record({
    type: "merge_started",
    attempt: { id: context.newId(), method, base, steps: [step], composed: false, direct: true },
  });
}

/** Lets an entry wait for its tests after all. */
export function declineDirectMerge(decision: Decision, pr: number, because: DirectMergeObstacle): void {
  if (decision.state.entries.has(pr)) decision.record({ type: "direct_merge_declined", pr, because });
}

/** Whether anything that is ready is in its lane. */
function hasCompany(state: QueueState, entry: Entry): boolean {
  for (const other of state.entries.values()) {
    if (other.pr !== entry.pr && other.state !== "not_ready" && depend(state, entry, other)) return true;
  }
  return false;
}
