import { expect, test } from "@jest/globals";
import { CodeHostError } from "../../src/github/client/code-host-error.ts";
import { isFailureOfTask, retryDelayMs } from "../../src/service/tasks/retry.ts";
import { StorageError } from "../../src/store/sqlite/storage-error.ts";

const diskFull = new StorageError("DATABASE_FULL", new Error("database or disk is full"));

test("a task that a failing database cut short has not failed, and goes on within a second of its repair", () => {
  expect(isFailureOfTask(diskFull)).toBe(false);
  expect(retryDelayMs(diskFull, 30)).toBe(1_000);
});

test("a rate limit is no failure of a task, and a denial is one", () => {
  expect(isFailureOfTask(new CodeHostError("rate_limited", "wait", 3_000))).toBe(false);
  expect(isFailureOfTask(new CodeHostError("denied", "Resource not accessible by integration"))).toBe(true);
});
