import { expect, test } from "@jest/globals";
import { CodeHostError } from "../../src/github/client/code-host-error.ts";
import { failureKind, isLasting, retryDelayMs } from "../../src/service/tasks/retry.ts";
import { StorageError } from "../../src/store/sqlite/storage-error.ts";

const denial = new CodeHostError("denied", "Resource not accessible by integration");
const diskFull = new StorageError("DATABASE_FULL", new Error("database or disk is full"));

test("a task that a failing database cut short has not failed, and goes on within a second of its repair", () => {
  expect(failureKind(diskFull)).toBeNull();
  expect(retryDelayMs(diskFull, 30)).toBe(1_000);
});

test("a rate limit is no failure of a task, and a denial is one", () => {
  expect(failureKind(new CodeHostError("rate_limited", "wait", 3_000))).toBeNull();
  expect(failureKind(denial)).toBe("denied");
});

test("a denial is believed after several in a row, and not because of the outages before it", () => {
  const failures = 12;
  expect(isLasting(denial, { failures, failedAs: "denied", failedInARow: 8 })).toBe(true);
  expect(isLasting(denial, { failures, failedAs: "unavailable", failedInARow: 12 })).toBe(false);
  expect(isLasting(denial, { failures, failedAs: "denied", failedInARow: 2 })).toBe(false);
});
