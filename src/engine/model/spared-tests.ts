import type { TestRun } from "./test-run.ts";

/** The tests of a run that failed and did not count. */
export function sparedIn(run: TestRun | null | undefined) {
  return {
    ...(run?.forgiven ? { forgiven: run.forgiven } : {}),
    ...(run?.retried && run.retried.tests.length > 0 ? { retried: run.retried.tests } : {}),
    ...(run?.retried?.newTests ? { retriedNew: run.retried.newTests } : {}),
  };
}
