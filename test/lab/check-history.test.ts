import { expect, test } from "@jest/globals";
import { checkHistory, type Evidence, type Operation } from "../../tools/lab/chaos/history.ts";

const submitted = (pr: number, to: number): Operation => ({
  ...{ endpoint: "submitPullRequest", pr, from: to - 5, to },
  ...{ status: 200, retryAfter: null, answer: {} },
});

const read = (pr: number, from: number, state: string | null): Operation => ({
  ...{ endpoint: "getSubmittedPullRequest", pr, from, to: from + 5, retryAfter: null },
  ...(state === null
    ? { status: 404, answer: { code: "PR_NOT_QUEUED" } }
    : { status: 200, answer: { state } }),
});

const failed = (status: number, code: string | null, retryAfter: string | null): Operation => ({
  ...{ endpoint: "getQueue", pr: null, from: 0, to: 5, status, retryAfter },
  answer: code === null ? null : { code },
});

const sound: Evidence = {
  operations: [
    read(1, 0, null),
    submitted(1, 50),
    read(1, 60, "pending"),
    read(1, 90, "merged"),
    read(1, 99, "merged"),
  ],
  log: [
    { queue: "q", seq: 1 },
    { queue: "q", seq: 2 },
  ],
  base: [
    { sha: "a", pr: 1 },
    { sha: "b", pr: null },
  ],
};

test("a correct history has no violation", () => {
  expect(checkHistory(sound)).toEqual([]);
});

test.each<[string, Partial<Evidence>, RegExp]>([
  [
    "a submission that was acknowledged and lost",
    { operations: [submitted(1, 50), read(1, 60, null)] },
    /#1 is unknown at 60 ms/,
  ],
  [
    "a merge that is undone",
    { operations: [read(1, 0, "merged"), read(1, 9, "pending")] },
    /#1 is pending at 9 ms/,
  ],
  [
    "a merge that is not on the base",
    { operations: [read(2, 0, "merged")] },
    /#2 was reported as merged at 5 ms/,
  ],
  ["an answer without a reason", { operations: [failed(500, null, null)] }, /getQueue was answered with 500/],
  [
    "a refusal that does not say when to come again",
    { operations: [failed(503, "DATABASE_FULL", null)] },
    /503 \(DATABASE_FULL/,
  ],
  [
    "a gap in the log",
    {
      log: [
        { queue: "q", seq: 1 },
        { queue: "q", seq: 3 },
      ],
    },
    /q has 3 after 1/,
  ],
  [
    "a number twice in the log",
    {
      log: [
        { queue: "q", seq: 1 },
        { queue: "q", seq: 1 },
      ],
    },
    /q has 1 after 1/,
  ],
  [
    "a pull request that was merged twice",
    {
      base: [
        { sha: "a", pr: 1 },
        { sha: "b", pr: 1 },
      ],
    },
    /#1 was merged 2 times/,
  ],
])("%s is a violation", (_, change, violation) => {
  expect(checkHistory({ ...sound, ...change })).toEqual([expect.stringMatching(violation)]);
});

test("answers that overlap prove nothing about their order", () => {
  const overlapping = { ...read(1, 52, null), from: 49 };
  expect(checkHistory({ ...sound, operations: [submitted(1, 50), overlapping] })).toEqual([]);
});
