import type { Decision } from "../../decision.ts";
import type { Entry, Readiness } from "../../model/entry.ts";
import type { PullRequestFacts } from "../../model/pull-request-facts.ts";
import { stackObjection } from "../../reasons/stack.ts";

/** Whether the lowest pull request of a stack may merge. */
export const mergesStacked = ({ state }: Decision): boolean => state.settings.mergeBy === "async_api";

/** What the code host shows of whether a pull request may be tested. */
export function readinessOf(decision: Decision, facts: PullRequestFacts): Readiness {
  const stacked = stackObjection(facts, mergesStacked(decision));
  const objections = stacked ? [...facts.objections, stacked] : facts.objections;
  return {
    baseBranchMatches: isIntoQueue(decision, facts),
    mergeability: facts.mergeability,
    draft: facts.draft,
    blockers: facts.blockers,
    ...(facts.failedOnHead ? { failedOnHead: facts.failedOnHead } : {}),
    ...(objections.length > 0 ? { objections } : {}),
    ...(facts.acceptedFromHead ? { acceptedFromHead: facts.acceptedFromHead } : {}),
  };
}

/**
 * Returns the last known obstacles while GitHub computes again whether an entry that is not ready is mergeable. It does so whenever the
 * base moves, and the reason why the entry waits would change each time.
 */
export function steadied({ state, readiness: known }: Entry, read: Readiness): Readiness {
  const isUnknownAgain =
    state === "not_ready" && known.mergeability === "not_mergeable" && read.mergeability === "in_progress";
  if (!isUnknownAgain) return read;
  const { mergeability, blockers, failedOnHead = [] } = known;
  return { ...read, mergeability, blockers, ...(failedOnHead.length > 0 ? { failedOnHead } : {}) };
}

/** Returns the readiness of an entry in test: unchanged, except for the accepted checks of its head. */
export function withAccepted(
  { acceptedFromHead: _before, ...readiness }: Readiness,
  acceptedFromHead: Readiness["acceptedFromHead"],
): Readiness {
  return acceptedFromHead ? { ...readiness, acceptedFromHead } : readiness;
}

export function sameReadiness(a: Readiness, b: Readiness): boolean {
  return (
    a.baseBranchMatches === b.baseBranchMatches &&
    a.mergeability === b.mergeability &&
    a.draft === b.draft &&
    JSON.stringify(a.objections) === JSON.stringify(b.objections) &&
    JSON.stringify(a.failedOnHead) === JSON.stringify(b.failedOnHead) &&
    JSON.stringify(a.acceptedFromHead) === JSON.stringify(b.acceptedFromHead) &&
    a.blockers.join("\n") === b.blockers.join("\n")
  );
}

export const isIntoQueue = ({ state }: Decision, { baseBranch }: PullRequestFacts): boolean =>
  baseBranch === state.branch;
