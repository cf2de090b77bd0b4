import { expect, test } from "@jest/globals";
import { CodeHostError } from "../../src/github/client/code-host-error.ts";
import { failureKind, isLasting, retryDelayMs } from "../../src/service/workers/retry.ts";
import type { OutboxRow } from "../../src/store/leased/outbox.ts";
import { StorageError } from "../../src/store/sqlite/storage-error.ts";

const denial = new CodeHostError("denied", "Resource not accessible by integration");
const diskFull = new StorageError("DATABASE_FULL", new Error("database or disk is full"));

test("a task that a failing database cut short has not failed, and goes on within a second of its repair", () => {
  expect(failureKind(diskFull)).toBeNull();
  expect(retryDelayMs(diskFull, 30)).toBe(1_000);
});

test("a denial counts as a failure of a task, and a rate limit does not", () => {
  expect(failureKind(new CodeHostError("rate_limited", "wait", 3_000))).toBeNull();
  expect(failureKind(denial)).toBe("denied");
});

test("a denial is believed after several in a row, and not because of the outages before it", () => {
  const failures = 12;
  expect(isLasting(denial, { failures, failedAs: "denied", failedInARow: 8 })).toBe(true);
  expect(isLasting(denial, { failures, failedAs: "unavailable", failedInARow: 12 })).toBe(false);
  expect(isLasting(denial, { failures, failedAs: "denied", failedInARow: 2 })).toBe(false);
});

test("denials from the time when the App was suspended are not added to a later one", () => {
  expect(failureKind(denial, true)).not.toBe(failureKind(denial, false));
});

test("a merge goes on within 15 seconds after an outage, and a comment within a minute", () => {
  const outage = new CodeHostError("unavailable", "it answered 502");
  const row = {
    id: 1,
    stream: "queue",
    claim: "claim",
    attempts: 20,
    failures: 20,
    failedAs: "unavailable",
    failedInARow: 20,
  };
  const merge: OutboxRow = { ...row, task: { type: "merge", queueId: "queue", attemptId: "attempt" } };
  const comment: OutboxRow = {
    ...row,
    task: {
      type: "publish",
      repo: { host: "github.com", owner: "acme", name: "widgets" },
      pr: 1,
    },
  };
  expect(retryDelayMs(outage, 20, merge)).toBe(15_000);
  expect(retryDelayMs(outage, 20, comment)).toBe(60_000);
});
