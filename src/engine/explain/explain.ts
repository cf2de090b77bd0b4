import { isJudgedAfterBase } from "../model/base-test.ts";
import { type Entry, isTerminal, lastingErrorOf, placeKeptUntil } from "../model/entry.ts";
import { type OrderedWork, renderFreeze, renderWait } from "../model/order/delay.ts";
import { isBeingMerged, isFrozen } from "../model/order/dependencies.ts";
import { merges, type QueueState, runOf, startsTests } from "../model/queue.ts";
import { settingInUse, usesLanes } from "../model/settings.ts";
import { blockerOf } from "../model/stall.ts";
import { policyOf } from "../policies/policy-of.ts";
import { isReviewUnknown, renderObjection } from "../reasons/objection.ts";
import type { Reason } from "../reasons/reason.ts";
import { renderReason } from "../reasons/render-reason.ts";
import { counted, inSentences, listed, numbers, timeOf } from "../reasons/sentence.ts";
import { checksLink, type ExplainLink, link, silentChecksLink } from "./explain-link.ts";

export interface ExplainedStall {
  /** Since when nothing has merged, in milliseconds since the epoch. */
  readonly since: number;
  readonly pr: number;
  readonly cause: ExplainLink;
}

/**
 * Explains why a pull request is in its current state, from the outermost cause to the pull request itself. `now` is in milliseconds since
 * the epoch. Some causes end at a time that has passed, although their end is not recorded yet: these are left out, or lose their `until`.
 */
export function explain(state: QueueState, entry: Entry, now: number): readonly ExplainLink[] {
  if (isTerminal(entry.state)) return [link(entry, "ENDED", renderReason(entry.reason))];
  const silent = silentChecksLink(state, entry);
  const links = [
    ...queueLinks(state, entry),
    ...stallLinks(state, entry),
    ...frozenLinks(state, entry, now),
    ...(silent ? [silent] : []),
    ...entryLinks(state, entry, now),
  ];
  return links.map((one) => (isPast(one, now) ? { ...one, until: undefined } : one));
}

/** Names what keeps the queue from merging: the first pull request, and its innermost cause. Null while there is no stall. */
export function explainStall(state: QueueState, now: number): ExplainedStall | null {
  const { stall } = state;
  const pr = blockerOf(state);
  const entry = pr === null ? undefined : state.entries.get(pr);
  const cause = entry && explain(state, entry, now).at(-1);
  return stall && entry && cause ? { since: stall.since, pr: entry.pr, cause } : null;
}

/**
 * Why there is no stall any more.
 * @param merged the pull request that has merged since it was raised; null = none has
 */
export function explainStallEnd(state: QueueState, merged: number | null): string {
  if (state.deleted) return "the queue was deleted";
  if (state.freeze) return `the queue is ${renderFreeze(state.freeze, state.branch)}`;
  if (!merges(state)) return statusText(state, state.status);
  if (merged !== null) return `#${merged} has merged`;
  if (state.entries.size === state.unready.size) return "no pull request is left that could merge";
  return startsTests(state.status) ? "a test commit was built after all" : statusText(state, state.status);
}

function isPast({ until }: ExplainLink, now: number): boolean {
  return until !== undefined && until <= now;
}

/** A passed entry waits only for the end of the freeze, because the entries ahead of it wait for the same. */
function frozenLinks(state: QueueState, entry: Entry, now: number): ExplainLink[] {
  const { freeze } = state;
  const waits = entry.state !== "not_ready" && isFrozen(state, entry) && !isBeingMerged(state, entry.pr);
  if (freeze === null || freeze.until <= now || !waits) return [];
  const verdict = entry.state === "tests_passed" ? "its tests passed" : "";
  const text = inSentences(verdict, renderFreeze(freeze, state.branch));
  return [{ ...link(entry, "FROZEN", text), since: freeze.since, until: freeze.until }];
}

function queueLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const wantsTest =
    entry.state === "pending" ||
    entry.state === "not_ready" ||
    (entry.state === "pending_failure" && policyOf(state).retestsPendingFailures);
  const waits = wantsTest ? !startsTests(state.status) : !merges(state);
  if (!waits) return [];
  const isHeldBack = state.status === "switching_modes" && entry.state === "tests_passed";
  const status = isHeldBack ? "paused, and switches modes once it is resumed" : state.status;
  return [{ ...link(entry, "QUEUE_NOT_RUNNING", statusText(state, status)), since: state.statusSince }];
}

function statusText({ statusReason }: QueueState, status: string): string {
  return inSentences(`the queue is ${status.replace("_", " ")}`, `the reason: ${renderReason(statusReason)}`);
}

function stallLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const { stall } = state;
  if (stall === null || entry.state === "not_ready") return [];
  const blocker = blockerOf(state) ?? stall.pr;
  const text = inSentences(
    `nothing has merged since ${timeOf(stall.since)}`,
    entry.pr === blocker
      ? "this pull request is the first in the queue"
      : `#${blocker} is the first in the queue`,
  );
  const refs = entry.pr === blocker ? [] : numbers([blocker]);
  return [{ ...link(entry, "NOTHING_MERGES", text, refs), since: stall.since }];
}

function entryLinks(state: QueueState, entry: Entry, now: number): readonly ExplainLink[] {
  if (entry.state === "not_ready") return readinessLinks(state, entry, now);
  if (isBeingMerged(state, entry.pr)) return [orderedLink(state, entry, "merge", now)];
  if (entry.state === "tests_passed" && isFrozen(state, entry)) return [];
  const obvious = obviousLink(state, entry, now);
  const base = obvious ? null : baseLink(state, entry);
  return base ? [base] : policyOf(state).explain(state, entry, now, obvious);
}

function readinessLinks(state: QueueState, entry: Entry, now: number): ExplainLink[] {
  const { readiness } = entry;
  const links: ExplainLink[] = [];
  if (!readiness.baseBranchMatches) {
    const branches = `it is ${entry.baseBranch}, and the queue merges into ${state.branch}`;
    const text = inSentences("its base branch is not the queue's", branches);
    links.push(link(entry, "BASE_BRANCH_DIFFERS", text));
  }
  if (readiness.draft) links.push(link(entry, "DRAFT", "it is a draft"));
  if (usesLanes(state.settings) && entry.targets === null) {
    links.push(
      link(entry, "WAITING_FOR_TARGETS", "the impacted targets of its head have not been posted yet"),
    );
  }
  if (readiness.mergeability === "in_progress" || readiness.mergeability === "unspecified") {
    links.push(link(entry, "MERGEABILITY_UNKNOWN", "GitHub is still computing whether it is mergeable"));
  }
  const { objections = [] } = readiness;
  for (const unknown of objections.filter(isReviewUnknown))
    links.push(link(entry, unknown.code, inSentences(renderObjection(unknown), "it is asked again")));
  const blockers = [
    ...objections.filter((one) => !isReviewUnknown(one)).map((objection) => renderObjection(objection)),
    ...readiness.blockers,
  ];
  if (readiness.mergeability === "not_mergeable" || blockers.length > 0) {
    links.push(link(entry, "NOT_MERGEABLE", blockersText(blockers), blockers));
  }
  return [...placeLinks(state, entry, now), ...links];
}

function blockersText([first, ...others]: readonly string[]): string {
  if (first === undefined) return "GitHub says that it is not mergeable";
  return others.length === 0 ? first : inSentences(first, `also: ${others.join("; ")}`);
}

/** Explains that an entry which left the line because of an objection still keeps its place. */
function placeLinks(state: QueueState, entry: Entry, now: number): ExplainLink[] {
  const until = placeKeptUntil(state.settings, entry);
  if (until === null || until <= now) return [];
  const minutes = settingInUse(state.settings, "reviewGraceMinutes");
  const kept = `it keeps its place if it is ready again within ${counted(minutes, "minute")}`;
  const text = inSentences("it left the line", `the reason: ${renderReason(entry.reason)}`, kept);
  return minutes === 0 ? [] : [{ ...link(entry, "PLACE_KEPT", text), until }];
}

/** The cause, if it is the same with every policy; null if it depends on the policy. */
function obviousLink(state: QueueState, entry: Entry, now: number): ExplainLink | null {
  if (entry.bisectionId !== null) return null;
  if (entry.state !== "pending" && entry.state !== "testing") return null;
  const run = runOf(state, entry);
  if (run?.state === "building") return orderedLink(state, entry, "build", now, [run.id]);
  if (run?.state === "running") return checksLink(state, entry);
  if (entry.directOnto !== undefined) {
    const then = "if it is up to date and has passed, it merges without another test";
    return link(entry, "EXAMINING_HEAD", inSentences("its head is being checked", then));
  }
  if (entry.retryAt !== null) {
    const text = retryText(entry.reason);
    return { ...link(entry, "RETRY_SCHEDULED", text), until: entry.retryAt };
  }
  return entry.heldBehind.length > 0 ? heldLink(state, entry) : null;
}

function retryText(reason: Reason): string {
  return reason.code === "INFRASTRUCTURE_ERROR"
    ? inSentences("it is tried again after an error", `details: ${reason.message}`)
    : inSentences("it is tested again later", renderReason(reason));
}

function heldLink(state: QueueState, entry: Entry): ExplainLink {
  const prs = entry.heldBehind.filter((pr) => state.entries.has(pr));
  const text = `conflicts with ${listed(prs)} ahead, and waits for ${prs.length === 1 ? "it" : "them"}`;
  return link(entry, "HELD_BY_CONFLICT", text, numbers(prs));
}

/** The ordered work that is in progress, or why it has to wait. */
function orderedLink(
  state: QueueState,
  entry: Entry,
  work: OrderedWork,
  now: number,
  refs: readonly string[] = [],
): ExplainLink {
  const wait = state.waits[work];
  if (wait && wait.until > now)
    return { ...link(entry, wait.code, renderWait(work, wait), refs), until: wait.until };
  if (work === "merge") return link(entry, "MERGING", "it is being merged", refs);
  const error = lastingErrorOf(entry);
  const failed = error === null ? "" : `the last attempt failed: ${error}`;
  return link(entry, "BUILDING_TEST_COMMIT", inSentences("its test commit is being built", failed), refs);
}

/** Explains that a failed entry is not judged before the base has been tested; null if it does not wait for that. */
export function baseLink(state: QueueState, entry: Entry): ExplainLink | null {
  // In a line, a pending entry waits for its second test.
  const isJudgedNext =
    entry.state === "pending_failure" || (entry.state === "pending" && policyOf(state).name !== "fixed");
  if (!isJudgedNext || !isJudgedAfterBase(state, entry.pr)) return null;
  const { baseTest, branch } = state;
  const text = inSentences(
    "it failed, and nothing has passed since its first failure",
    `the target branch ${branch} ${baseTest ? "is being tested" : "will be tested"} by itself, to tell a bad pull request from a broken branch`,
  );
  const base = link(entry, "BASE_TESTED", text);
  return baseTest ? { ...base, since: baseTest.startedAt } : base;
}
