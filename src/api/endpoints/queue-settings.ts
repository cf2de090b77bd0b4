import * as z from "zod";
import type { QueueChanges } from "../../engine/model/input.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { QueueBody } from "../schema/addresses.ts";
import { anyCase, textList } from "../schema/fields.ts";

/**
 * Settings that clients of other merge queues send and read, and that have only one value here. Any other value is refused, so that no
 * client assumes that it applies.
 */
export const fixedSettings = {
  extensionEnabled: z
    .literal(false, { error: "must be false or left out: there is no browser extension" })
    .describe("Always false: there is no browser extension."),
  // Not an array of objects, because checking millions of items that are refused anyway would take gigabytes.
  batchingRules: z
    .custom<readonly Record<string, never>[]>((input) => Array.isArray(input) && input.length === 0, {
      error: "must be [] or left out: to test a pull request alone, submit it with noBatch",
    })
    .meta({ type: "array", maxItems: 0, items: { type: "object", properties: {} } })
    .describe("Always []: pull requests are kept out of batches one by one, with `noBatch`."),
  testBranchConstructionMode: z
    .literal("push_new_branch_from_temp", {
      error:
        "must be push_new_branch_from_temp or left out: test branches are created at their commit, no branch is renamed",
    })
    .describe(
      "Always `push_new_branch_from_temp`: a test commit is built on a scratch branch, then the test branch is created at it.",
    ),
};

/** The values that every queue returns. */
export const fixedValues = {
  extensionEnabled: false,
  batchingRules: [],
  testBranchConstructionMode: "push_new_branch_from_temp",
} as const;

const maxSetting = 4_294_967_295;
const count = z.int().min(1).max(maxSetting);

const statusNames = textList({ maxItems: 1_000, emptyItems: false, maxBytes: 1_024 });

/** The settings of a queue, by their names in the API. Answers contain all of them, requests some. */
export const queueSettings = {
  mode: anyCase(["single", "parallel"]).describe(
    "`single`: one line. `parallel`: pull requests that impact different targets do not wait for each other.",
  ),
  policy: anyCase(["fixed", "adaptive", "beliefs"]).describe(
    "`fixed`: what the other settings say, in order. `adaptive`: also, a pull request is removed only after two failures. From 3 slots on in `single` mode with `batchSizing: by_load` and a `pendingFailureDepth` of 0, and from 16 slots on in `parallel` mode, tests are ordered by how likely each pull request is to be at fault. `beliefs`: that order with any number of slots.",
  ),
  concurrency: count.describe("How many pull requests, or batches of them, are tested at once."),
  bisectionConcurrency: count.describe("How many tests run at once while a failed batch is bisected."),
  testingTimeoutMinutes: count.describe("How long tests may take before they count as failed."),
  testingTimeout: anyCase(["fixed", "auto"]).describe(
    "`fixed`: tests may take `testingTimeoutMinutes`. `auto`: once 20 tests are known, a test may take twice as long as 95 % of the last ones took, and 1.5 times as long as the longest, at least 10 minutes, and at most `testingTimeoutMinutes`.",
  ),
  missingCheckMinutes: z
    .int()
    .min(0)
    .max(maxSetting)
    .describe(
      "How long a required check may be missing once everything else on the test branch has finished. Then the test fails as `REQUIRED_CHECK_MISSING`; 0 = only the testing timeout ends it.",
    ),
  flakyRetries: z
    .int()
    .min(0)
    .max(3)
    .describe(
      "How often failed checks run again, within the testing timeout, when only tests failed that are known to be flaky; 0 = never.",
    ),
  cancelObsoleteRuns: z
    .boolean()
    .describe(
      "Whether the workflow runs of a test are cancelled on GitHub once its result is no longer needed. Needs the App's permission `actions: write`.",
    ),
  pendingFailureDepth: z
    .int()
    .min(0)
    .max(maxSetting)
    .describe(
      "How many pull requests behind a failed one finish testing before that is removed; 0 = none. No effect while tests are ordered by how likely each pull request is to be at fault (`policy`).",
    ),
  canOptimisticallyMerge: z
    .boolean()
    .describe(
      "Whether a pull request that passes its tests proves those ahead of it, which its tests contain.",
    ),
  batch: z.boolean().describe("Whether pull requests are tested in batches."),
  batchingMaxWaitTimeMinutes: count.describe("How long an incomplete batch waits for more pull requests."),
  batchingMinSize: count.describe("How many pull requests make a batch complete."),
  batchSizing: anyCase(["minimum", "by_load"]).describe(
    "`minimum`: a batch waits for batchingMinSize pull requests, at most batchingMaxWaitTimeMinutes. `by_load`: a batch never waits. Batches grow when more pull requests wait for a slot and fewer of them fail.",
  ),
  priorityMaxWaitTimeMinutes: count.describe(
    "How long a pull request may be overtaken by higher priorities; after that, only urgent ones overtake it.",
  ),
  reviewGraceMinutes: z
    .int()
    .min(0)
    .max(maxSetting)
    .describe(
      "How long a pull request keeps its place when it leaves the line because an approval was withdrawn or went stale, changes were requested, or a conversation was opened. If it is ready again later, it goes to the end; 0 = always.",
    ),
  notReadyTimeoutHours: count.describe(
    "A pull request that has not been ready for this many hours is cancelled.",
  ),
  commentsEnabled: z.boolean().describe("Whether the queue comments on pull requests."),
  commandsEnabled: z.boolean().describe("Whether pull requests can be submitted by a command in a comment."),
  labelCommandsEnabled: z
    .boolean()
    .describe(
      "Whether adding or removing labels submits pull requests, cancels them, and changes their priority. If false, a priority label still sets the priority of a pull request that is submitted by a comment.",
    ),
  enqueueingLabel: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .describe(
      'The label that submits. Set here it overrides the repository file; null takes that back. Answers name the label in force; "" = none, as the repository file says.',
    ),
  stateLabelsEnabled: z
    .boolean()
    .nullable()
    .describe(
      "Whether labels show the state of pull requests, by the names in the repository file, else `trainyard:pending`, `trainyard:testing` and so on. null = if the repository file names some.",
    ),
  allowedBotSubmitters: textList({ maxItems: 100, emptyItems: false, maxBytes: 100 }).describe(
    "Bots that may submit, cancel and restart, besides those of the repository file: logins, with or without `[bot]`, or numeric ids. A login can be taken by another bot once it is free; an id cannot.",
  ),
  submitByAutoMerge: z
    .boolean()
    .describe(
      "Whether enabling auto-merge on GitHub submits a pull request, and disabling it cancels. GitHub itself merges it as soon as its own rules are met.",
    ),
  createPrsForTestingBranches: z
    .boolean()
    .describe(
      "Whether test branches get a draft pull request, for CI that runs on pull requests only. CI that also runs on pushes then runs twice. Each test then costs one more call that counts against GitHub's limit for creating content.",
    ),
  statusCheckEnabled: z.boolean().describe("Whether the queue posts a check on pull requests."),
  requiredStatuses: statusNames.describe(
    "Names of the checks that must pass. They override the repository file and branch protection. [] = the queue has no list of its own.",
  ),
  acceptFromHead: statusNames.describe(
    "Names of required checks that count as they are on the head of each pull request, not on the test branch: checks that report on pull requests only, such as DCO, CLA and title lint. A pull request is tested once they have passed there.",
  ),
  publicPage: z
    .boolean()
    .describe(
      "Whether anyone who reaches the service can read the page of this queue and those of its pull requests without signing in: their states, why they wait, and their tests, without the names of tests in reports. That includes the whole past of the queue, also of the time before the page was public. The pages of tests, the doctor and other queues stay private. As long as it was never set, pages are public for public repositories if the service's set-up agreed to that (`TRAINYARD_PUBLIC_PAGES`).",
    ),
  directMergeMode: anyCase(["off", "always"]).describe(
    "`always`: a pull request that is up to date when it is submitted merges without another test.",
  ),
  optimizationMode: anyCase(["off", "bisection_skip_redundant_tests"]).describe(
    "Whether bisecting skips tests whose result is already known.",
  ),
  mergeMethod: anyCase(["merge_commit", "squash", "rebase"]).describe("How pull requests are merged."),
  mergeBy: anyCase(["auto", "async_api"]).describe(
    "`auto`: with merge_commit the base is moved to the tested commit itself where the rules allow it; otherwise GitHub merges each pull request. `async_api`: GitHub merges each pull request by its asynchronous merge API, which honours no bypass of rules but Exempt and is the only one that merges pull requests of a stack. Not on GitHub Enterprise Server.",
  ),
};

const settableState = anyCase(["running", "paused", "draining"], (issue) =>
  issue.input === "switching_modes"
    ? "cannot be set to switching_modes: that begins by itself when mode is changed"
    : undefined,
).describe(
  "`paused`: nothing starts and nothing merges. `draining`: nothing starts, what was tested merges.",
);

/** The fields that `createQueue` and `updateQueue` can set. Absent = unchanged. */
export const queueChanges = {
  ...z.object({ ...queueSettings, ...fixedSettings }).partial().shape,
  state: settableState.optional(),
  deleteRequiredStatuses: z
    .boolean()
    .optional()
    .describe(
      "Removes the list in requiredStatuses. The checks then come from the repository file or branch protection.",
    ),
};

export type QueueChangesBody = z.output<z.ZodObject<typeof queueChanges>>;

/** Refuses a body that both removes the required statuses and sets some. */
export function statusesAgree(
  { requiredStatuses = [], deleteRequiredStatuses }: QueueChangesBody,
  context: z.RefinementCtx,
): void {
  if (!deleteRequiredStatuses || requiredStatuses.length === 0) return;
  context.addIssue({
    code: "custom",
    path: ["deleteRequiredStatuses"],
    message:
      "contradicts requiredStatuses: drop deleteRequiredStatuses to set those names, or drop requiredStatuses to remove what was set",
  });
}

type Requested = QueueBody & QueueChangesBody;

/** The settings in a request body. An empty `requiredStatuses` removes the list. */
export function requestedSettings(body: Requested): Partial<QueueSettings> {
  const {
    repo: _repo,
    targetBranch: _branch,
    state: _state,
    requiredStatuses,
    acceptFromHead,
    deleteRequiredStatuses,
    allowedBotSubmitters,
    extensionEnabled: _extension,
    batchingRules: _rules,
    testBranchConstructionMode: _construction,
    ...settings
  } = body;
  return {
    ...defined(settings),
    ...(allowedBotSubmitters === undefined
      ? {}
      : { allowedBotSubmitters: [...new Set(allowedBotSubmitters)] }),
    ...(acceptFromHead === undefined ? {} : { acceptFromHead: [...new Set(acceptFromHead)] }),
    ...(deleteRequiredStatuses ? { requiredStatuses: null } : listed(requiredStatuses)),
  };
}

function listed(requiredStatuses: readonly string[] | undefined): Partial<QueueSettings> {
  if (requiredStatuses === undefined) return {};
  return { requiredStatuses: requiredStatuses.length > 0 ? [...new Set(requiredStatuses)] : null };
}

export function requestedChanges(body: Requested): QueueChanges {
  return { ...requestedSettings(body), ...(body.state === undefined ? {} : { status: body.state }) };
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
