import type { Decision } from "../../decision.ts";
import {
  type Entry,
  isReady,
  type PullRequestFacts,
  placeKeptUntil,
  type Readiness,
} from "../../model/entry.ts";
import { isBeingMerged } from "../../model/order/dependencies.ts";
import type { QueueState } from "../../model/queue.ts";
import type { Refusal } from "../../model/refusal.ts";
import { settingInUse, usesLanes } from "../../model/settings.ts";
import type { CommitMessage } from "../../model/test-run.ts";
import {
  isReviewUnknown,
  type Objection,
  stackObjection,
  type UnmetDependencies,
} from "../../reasons/objection.ts";
import type { Reason } from "../../reasons/reason.ts";
import { considerDirectMerge } from "../merging/ordered-merge.ts";

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
 * Returns the last known obstacles while GitHub recomputes whether an entry that is not ready is mergeable. GitHub does so whenever the
 * base moves, and the displayed reason must not change each time.
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

/** Returns the title and message of a queued pull request after a submission; null if they do not change. */
export function changedMessage({ message }: Entry, given: CommitMessage | undefined): CommitMessage | null {
  const next = { ...message, ...given };
  return next.title === message?.title && next.body === message?.body ? null : next;
}

/**
 * Returns why a submission must not set the title or message of the merged commit; null if it may, or does not set them. They are fixed
 * while a test contains the pull request, because the merged commit has the message of the tested commit. Testing again for a new message
 * was rejected, because it would also discard the tests of other entries.
 */
export function messageRefusal(
  state: QueueState,
  { number: pr, headSha }: Pick<PullRequestFacts, "number" | "headSha">,
  given: CommitMessage | undefined,
): Refusal | null {
  const live = state.entries.get(pr);
  const queued = live?.headSha === headSha ? live : null;
  if (!given || (queued && !changedMessage(queued, given))) return null;
  if (state.settings.mergeMethod === "rebase") return { code: "REBASE_KEEPS_MESSAGES", pr };
  return queued && isTested(state, queued) ? { code: "MESSAGE_ALREADY_TESTED", pr } : null;
}

function isTested(state: QueueState, { pr, bisectionId }: Entry): boolean {
  if (bisectionId !== null || isBeingMerged(state, pr)) return true;
  for (const { ahead, members } of state.runs.values()) {
    if (members.includes(pr) || ahead.includes(pr)) return true;
  }
  return false;
}

/** The new state of a pull request that may not be tested or merged as it was submitted. */
export interface Withdrawal {
  readonly to: "merged" | "cancelled" | "not_ready";
  readonly reason: Reason;
}

/**
 * Returns why the current facts of a pull request take it out of the line; null if it may merge as it was tested. Used both when a pull
 * request is observed and just before its merge: with different rules, merges would be ordered and refused for ever. `mergesStacked`: the
 * lowest pull request of a stack may merge, too. GitHub's `mergeability` is not used, because it changes with the checks of the head and
 * with the base, which the tests cover.
 */
export function withdrawalOf(
  tested: { readonly headSha: string; readonly baseBranch: string; readonly mergesStacked?: boolean },
  facts: PullRequestFacts,
): Withdrawal | null {
  if (facts.state === "merged")
    return { to: "merged", reason: { code: "MERGED_BY_OTHERS", sha: facts.mergedSha } };
  const cancelled = (reason: Reason): Withdrawal => ({ to: "cancelled", reason });
  if (facts.state === "closed")
    return cancelled({ code: "PR_CLOSED", ...(facts.isBranchGone ? { branch: facts.headRef } : {}) });
  if (facts.headSha !== tested.headSha) return cancelled({ code: "PUSHED_TO", sha: facts.headSha });
  if (facts.baseBranch !== tested.baseBranch)
    return cancelled({ code: "BASE_BRANCH_CHANGED", branch: facts.baseBranch });
  if (facts.draft) return cancelled({ code: "CONVERTED_TO_DRAFT" });
  const objection =
    facts.objections.find((one) => !isReviewUnknown(one)) ??
    stackObjection(facts, tested.mergesStacked ?? false);
  return objection ? { to: "not_ready", reason: objection } : null;
}

/** Returns the dependencies of an entry that are not met; null if none are known. */
export function unmetOf({ readiness }: Entry): UnmetDependencies | null {
  return readiness.objections?.find((objection) => objection.code === "DEPENDS_ON") ?? null;
}

/** Returns the entries that wait for a pull request to merge. */
export function dependentsOf(state: QueueState, pr: number): Entry[] {
  return [...state.unready.values()].flatMap((number) => {
    const entry = state.entries.get(number);
    const unmet = entry ? unmetOf(entry) : null;
    return entry && unmet && [...unmet.open, ...unmet.closed].includes(pr) ? [entry] : [];
  });
}

/** Returns the readiness of an entry after a pull request has merged into its base branch. */
export function readinessAfter(entry: Entry, merged: number): Entry["readiness"] {
  const { objections = [], ...rest } = entry.readiness;
  const unmet = objections.flatMap((objection): Objection[] => {
    if (objection.code !== "DEPENDS_ON") return [objection];
    const without = (prs: readonly number[]) => prs.filter((pr) => pr !== merged);
    const { elsewhere, absent, foreign = [], unreadable = [] } = objection;
    const [open, closed] = [without(objection.open), without(objection.closed)];
    const left = [open, closed, elsewhere, absent, foreign, unreadable];
    const isMet = left.every((kind) => kind.length === 0);
    return isMet ? [] : [{ ...objection, open, closed }];
  });
  return unmet.length > 0 ? { ...rest, objections: unmet } : rest;
}

export function isUnready(entry: Entry): boolean {
  return entry.state === "not_ready";
}

/** Moves an entry that was not ready to `pending` once it is ready. */
export function admitIfReady(decision: Decision, pr: number): void {
  const entry = decision.entry(pr);
  const needsTargets = usesLanes(decision.state.settings);
  if (!isUnready(entry) || !isReady(entry, needsTargets)) return;
  decision.move(entry, "pending", readyReason(decision, entry));
  considerDirectMerge(decision, pr);
}

function readyReason({ state, context }: Decision, entry: Entry): Reason {
  const keptUntil = placeKeptUntil(state.settings, entry);
  return keptUntil === null || context.now <= keptUntil
    ? { code: "READY" }
    : { code: "PLACE_LOST", minutes: settingInUse(state.settings, "reviewGraceMinutes") };
}

/** Updates the entries that wait for a pull request that has just merged, and admits those that are ready now. */
export function releaseDependents(decision: Decision, merged: number): void {
  for (const entry of dependentsOf(decision.state, merged)) {
    const readiness = readinessAfter(entry, merged);
    decision.record({ type: "entry_observed", pr: entry.pr, title: entry.title, readiness });
    admitIfReady(decision, entry.pr);
  }
}
