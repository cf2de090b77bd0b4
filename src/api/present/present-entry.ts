import type * as z from "zod";
import type { ExplainLink } from "../../engine/explain/explain-link.ts";
import { type Entry, isTerminal, skipsTheLine } from "../../engine/model/entry.ts";
import type { Reason } from "../../engine/reasons/reason.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import type { EntryView, QueueItemView } from "../../service/runtime/views.ts";
import type { entryAnswer, entryItem, explanation, listedEntry } from "../schema/entry-answer.ts";
import { timestamp } from "./timestamp.ts";

export function presentItem({ entry, forecast }: QueueItemView): z.output<typeof entryItem> {
  return {
    ...presentFields(entry),
    forecast: presentForecast(forecast),
  };
}

function presentForecast(forecast: QueueItemView["forecast"]): z.output<typeof entryItem>["forecast"] {
  return forecast && { ...forecast, p50: timestamp(forecast.p50), p90: timestamp(forecast.p90) };
}

/**
 * An entry keeps the base branch that it was submitted with until that is changed to the queue's. If the entry ended because
 * the base branch changed, this is the new one.
 */
function baseBranchOf({ baseBranch, reason }: Entry): string {
  return reason.code === "BASE_BRANCH_CHANGED" ? reason.branch : baseBranch;
}

function presentFields(entry: Entry) {
  return {
    id: entry.id,
    state: entry.state,
    stateChangedAt: timestamp(entry.stateChangedAt),
    priorityValue: entry.priority.value,
    priorityName: entry.priority.name,
    usedDefaultPriorityName: entry.priority.isDefault ? entry.priority.name : "",
    skipTheLine: skipsTheLine(entry),
    noBatch: entry.noBatch,
    prNumber: entry.pr,
    prTitle: entry.title,
    prSha: entry.headSha,
    prBaseBranch: baseBranchOf(entry),
    prAuthor: entry.author,
  };
}

/** Presents an entry in a listing, with fewer fields than when it is read by itself. */
export function presentListed(entry: Entry): z.output<typeof listedEntry> {
  return {
    ...presentFields(entry),
    submittedAt: timestamp(entry.submittedAt),
    isCurrentlySubmittedToQueue: !isTerminal(entry.state),
    merged: mergedAs(entry.reason),
    reason: entry.reason.code,
  };
}

export function presentExplanation({
  entry,
  position,
  why,
  forecast,
}: EntryView): z.output<typeof explanation> {
  return {
    prNumber: entry.pr,
    state: entry.state,
    stateChangedAt: timestamp(entry.stateChangedAt),
    position,
    reason: entry.reason.code,
    text: renderReason(entry.reason),
    why: why.map(presentLink),
    forecast: presentForecast(forecast),
  };
}

export function presentEntry(view: EntryView): z.output<typeof entryAnswer> {
  const { entry, live, hasImpactedTargets, requiresImpactedTargets, position, why } = view;
  return {
    ...presentItem(view),
    readiness: {
      hasImpactedTargets,
      requiresImpactedTargets,
      doesBaseBranchMatch: entry.readiness.baseBranchMatches,
      // The test commit shows a conflict before GitHub does, and an ended entry is not read again.
      gitHubMergeability:
        entry.reason.code === "MERGE_CONFLICT_WITH_BASE" ? "not_mergeable" : entry.readiness.mergeability,
    },
    forceEnqueued: false,
    isCurrentlySubmittedToQueue: live,
    verifiedByTestRun: verifiedBy(view),
    submittedBy: entry.admittedBy.name,
    submittedVia: entry.admittedVia,
    merged: mergedAs(entry.reason),
    position,
    reason: entry.reason.code,
    why: why.map(presentLink),
  };
}

function mergedAs(reason: Reason) {
  if (reason.code === "MERGED_IN_ORDER" || reason.code === "DIRECT_MERGED")
    return { sha: reason.sha, proof: reason.proof };
  return reason.code === "TREE_MISMATCH" ? { sha: reason.sha, proof: null } : null;
}

function presentLink({ code, since, until, text, refs }: ExplainLink) {
  return {
    code,
    since: timestamp(since),
    until: until === undefined ? null : timestamp(until),
    text,
    refs: [...refs],
  };
}

/**
 * Returns the test run that an entry passed in; it is kept when the queue merges the entry. No run vouches for merges by
 * others.
 */
function verifiedBy({ entry, run }: EntryView): string | null {
  if (entry.reason.code === "MERGED_IN_ORDER") return entry.reason.verifiedBy ?? entry.runId;
  return entry.state === "tests_passed" ? (run?.vouchedBy ?? entry.runId) : null;
}
