import * as z from "zod";
import type { ExplainLink } from "../../engine/explain/explain-link.ts";
import { type Entry, entryStates, isTerminal, skipsTheLine } from "../../engine/model/entry.ts";
import type { Reason } from "../../engine/reasons/reason.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import type { EntryView, QueueItemView } from "../../service/runtime/views.ts";
import { renderTimestamp, timestamp } from "../schema/fields.ts";

const entryFields = {
  id: z.uuid().describe("A pull request keeps it when it is submitted again."),
  state: z.enum(entryStates),
  stateChangedAt: timestamp,
  priorityValue: z.int(),
  priorityName: z.string().describe("The priority's name, or its number as text."),
  usedDefaultPriorityName: z
    .string()
    .describe('The name of the default priority when that applies, else "".'),
  skipTheLine: z.boolean(),
  noBatch: z.boolean(),
  prNumber: z.int(),
  prTitle: z.string(),
  prSha: z.string(),
  prBaseBranch: z.string(),
  prAuthor: z.string(),
};

const forecast = z
  .object({
    p50: timestamp.describe("The median forecast of when it merges."),
    p90: timestamp.describe("The 90th percentile of that forecast."),
    basedOn: z.int().describe("The number of finished test runs that it is based on, at least 1."),
  })
  .nullable()
  .describe(
    "When it will merge, if it does. Null when it is not ready or has ended, and when the queue does not merge or no test of it has ended yet.",
  );

const itemFields = { ...entryFields, forecast };

/** A pull request in the listing of its queue. */
export const entryItem = z.object(itemFields);

const merged = z
  .object({
    sha: z.string().describe("The commit on the base."),
    proof: z
      .enum(["exact", "same_tree", "composed", "batch", "successor", "head"])
      .nullable()
      .describe(
        "How it is known to be what was tested: it is the tested commit, has its tree, is that together with merges that it does not depend on, or is contained in the tested tree of its batch or of a successor, or is the tree of its own head, which was up to date and had passed. Null when its tree differs, which pauses the queue.",
      ),
  })
  .nullable()
  .describe("Null unless the queue merged it.");

const position = z.int().nullable().describe("1 = next to merge; null when it is not ready or has ended.");

const reason = z.string().describe("The code of why it is in its state.");

const why = z
  .array(
    z.object({
      code: z.string(),
      since: timestamp,
      until: timestamp.nullable(),
      text: z.string(),
      refs: z.array(z.string()),
    }),
  )
  .describe("The chain of causes, from the outermost to the pull request.");

/** A pull request that was submitted. It is queued or has ended. */
export const entryAnswer = z.object({
  ...itemFields,
  readiness: z.object({
    hasImpactedTargets: z.boolean(),
    requiresImpactedTargets: z.boolean(),
    doesBaseBranchMatch: z.boolean(),
    gitHubMergeability: z.enum(["mergeable", "not_mergeable", "in_progress", "unspecified"]),
  }),
  forceEnqueued: z.boolean(),
  isCurrentlySubmittedToQueue: z.boolean(),
  url: z
    .string()
    .nullable()
    .describe("Its page on this service. Null when the service has no public address."),
  verifiedByTestRun: z.uuid().nullable().describe("The test run that passed for it."),
  submittedBy: z.string().describe("The login or the name of the token that submitted it."),
  submittedVia: z.enum(["comment", "label", "auto_merge", "check", "dashboard", "api", "action"]),
  merged,
  position,
  reason,
  why,
});

/** A pull request in a listing. */
export const listedEntry = z.object({
  ...entryFields,
  submittedAt: timestamp,
  isCurrentlySubmittedToQueue: z.boolean(),
  merged,
  reason,
});

/** The reasons for a pull request's current state. */
export const explanation = z.object({
  prNumber: z.int(),
  state: z.enum(entryStates),
  stateChangedAt: timestamp,
  position,
  reason,
  text: z.string().describe("The reason in words."),
  why,
  forecast,
});

export function presentItem({ entry, forecast }: QueueItemView): z.output<typeof entryItem> {
  return {
    ...presentFields(entry),
    forecast: presentForecast(forecast),
  };
}

function presentForecast(forecast: QueueItemView["forecast"]): z.output<typeof entryItem>["forecast"] {
  return forecast && { ...forecast, p50: renderTimestamp(forecast.p50), p90: renderTimestamp(forecast.p90) };
}

/**
 * An entry keeps its first base branch until it changes to that of the queue. If the entry ended because the base branch changed, this is
 * the new one.
 */
function baseBranchOf({ baseBranch, reason }: Entry): string {
  return reason.code === "BASE_BRANCH_CHANGED" ? reason.branch : baseBranch;
}

function presentFields(entry: Entry) {
  return {
    id: entry.id,
    state: entry.state,
    stateChangedAt: renderTimestamp(entry.stateChangedAt),
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
    submittedAt: renderTimestamp(entry.submittedAt),
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
    stateChangedAt: renderTimestamp(entry.stateChangedAt),
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
      // The test commit shows a conflict before GitHub does, and ended entries are not read again.
      gitHubMergeability:
        entry.reason.code === "MERGE_CONFLICT_WITH_BASE" ? "not_mergeable" : entry.readiness.mergeability,
    },
    forceEnqueued: false,
    isCurrentlySubmittedToQueue: live,
    url: view.pageUrl,
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
    since: renderTimestamp(since),
    until: until === undefined ? null : renderTimestamp(until),
    text,
    refs: [...refs],
  };
}

/** Returns the test run that an entry passed in; it is kept when the queue merges the entry. Merges by others have no run. */
function verifiedBy({ entry, run }: EntryView): string | null {
  if (entry.reason.code === "MERGED_IN_ORDER") return entry.reason.verifiedBy ?? entry.runId;
  return entry.state === "tests_passed" ? (run?.vouchedBy ?? entry.runId) : null;
}
