import { describe, expect, test } from "@jest/globals";
import { settingsOfNewQueue } from "../../src/service/queues/queue-settings.ts";

describe("a new queue", () => {
  test("without settings has five slots, and batches sized by load", () => {
    expect(settingsOfNewQueue({})).toMatchObject({
      concurrency: 5,
      bisectionConcurrency: 5,
      batch: true,
      batchSizing: "by_load",
      optimizationMode: "bisection_skip_redundant_tests",
    });
  });

  test("with few slots does not bisect with more", () => {
    expect(settingsOfNewQueue({ concurrency: 2 }).bisectionConcurrency).toBe(2);
    expect(settingsOfNewQueue({ concurrency: 50 }).bisectionConcurrency).toBe(5);
    expect(settingsOfNewQueue({ concurrency: 2, bisectionConcurrency: 7 }).bisectionConcurrency).toBe(7);
  });

  test.each([
    { batch: true, batchingMinSize: 2 },
    { batch: true },
    { batchingMaxWaitTimeMinutes: 1 },
    { optimizationMode: "off" },
    { policy: "fixed" },
  ] as const)("with the settings %j gets exactly the requested batches", (asked) => {
    expect(settingsOfNewQueue(asked)).toMatchObject({ batch: false, batchSizing: "minimum", ...asked });
  });
});
