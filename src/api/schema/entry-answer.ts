import * as z from "zod";
import { entryStates } from "../../engine/model/entry.ts";
import { timestamp } from "./timestamp.ts";

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
  verifiedByTestRun: z.uuid().nullable().describe("The test run that passed for it."),
  submittedBy: z.string().describe("The login or the name of the token that submitted it."),
  submittedVia: z.enum(["comment", "label", "auto_merge", "check", "api", "action"]),
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
