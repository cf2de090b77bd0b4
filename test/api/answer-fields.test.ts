import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { most } from "./field-table.ts";
import { PausedQueue } from "./paused-queue.ts";

let queue: PausedQueue;
let answers: Record<"getQueue" | "updateQueue" | "item" | "getSubmittedPullRequest", Record<string, unknown>>;

beforeAll(async () => {
  queue = await PausedQueue.start();
  const { api } = queue;
  await api.post("updateQueue", { ...api.queue, requiredStatuses: ["build", "test"] });
  const { number } = await queue.open();
  await queue.submit({ number }, { priority: 7 });
  const { body: read } = await api.post("getQueue", api.queue);
  const [item] = read.enqueuedPullRequests as Record<string, unknown>[];
  answers = {
    getQueue: read,
    updateQueue: (await api.post("updateQueue", { ...api.queue, state: "paused" })).body,
    item: item ?? {},
    getSubmittedPullRequest: (await queue.call("getSubmittedPullRequest", { number })).body,
  };
});
afterAll(() => queue.api.close());

const text = expect.any(String);
const toggle = expect.any(Boolean);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const sha = expect.stringMatching(/^[0-9a-f]{40}$/);
const oneOf = (...words: string[]) => expect.stringMatching(`^(${words.join("|")})$`);

/** Matches an integer within bounds. */
const whole = (least: number, greatest = most) => ({
  asymmetricMatch: (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= greatest,
});

const queueFields = {
  state: oneOf("running", "paused", "draining", "switching_modes"),
  branch: text,
  mode: oneOf("single", "parallel"),
  concurrency: whole(1),
  bisectionConcurrency: whole(1),
  testingTimeoutMinutes: whole(1),
  pendingFailureDepth: whole(0),
  canOptimisticallyMerge: toggle,
  batch: toggle,
  batchingMaxWaitTimeMinutes: whole(1),
  batchingMinSize: whole(1),
  commentsEnabled: toggle,
  commandsEnabled: toggle,
  createPrsForTestingBranches: toggle,
  statusCheckEnabled: toggle,
  testingTimeout: oneOf("fixed", "auto"),
  missingCheckMinutes: whole(0),
  acceptFromHead: [],
  requiredStatuses: ["build", "test"],
  directMergeMode: oneOf("off", "always"),
  optimizationMode: oneOf("off", "bisection_skip_redundant_tests"),
  mergeMethod: oneOf("merge_commit", "squash", "rebase"),
};

const itemFields = {
  id: uuid,
  prNumber: whole(1),
  prTitle: text,
  prSha: sha,
  prBaseBranch: text,
  prAuthor: text,
  stateChangedAt: time,
  priorityValue: whole(0),
  priorityName: text,
  usedDefaultPriorityName: text,
  skipTheLine: toggle,
  noBatch: toggle,
  state: oneOf(
    "not_ready",
    "pending",
    "testing",
    "tests_passed",
    "merged",
    "failed",
    "cancelled",
    "pending_failure",
  ),
};

const submittedFields = {
  ...itemFields,
  readiness: {
    hasImpactedTargets: toggle,
    requiresImpactedTargets: toggle,
    doesBaseBranchMatch: toggle,
    gitHubMergeability: oneOf("mergeable", "not_mergeable", "in_progress", "unspecified"),
  },
  forceEnqueued: toggle,
  isCurrentlySubmittedToQueue: toggle,
  verifiedByTestRun: null,
  reason: text,
};

describe.each([
  ["getQueue", queueFields],
  ["updateQueue", queueFields],
  ["item", itemFields],
  ["getSubmittedPullRequest", submittedFields],
] as const)("the response of %s", (name, fields) => {
  test.each(Object.entries(fields))("has the field %s with a value of its type", (field, kind) => {
    expect(answers[name]).toHaveProperty(field);
    expect(answers[name][field]).toEqual(kind);
  });
});

test("only getQueue returns pull requests", () => {
  expect(answers.getQueue.enqueuedPullRequests).toHaveLength(1);
  expect(answers.updateQueue).not.toHaveProperty("enqueuedPullRequests");
});

test("the submitted values are returned", () => {
  expect(answers.item).toMatchObject({ priorityValue: 7, priorityName: "7", usedDefaultPriorityName: "" });
  expect(answers.getSubmittedPullRequest).toMatchObject({
    prBaseBranch: "main",
    prAuthor: "alice",
    state: "pending",
  });
});
