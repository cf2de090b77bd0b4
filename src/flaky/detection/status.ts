/** The status of a test. The most severe one applies: a flaky test that fails each time is broken. */
export type TestStatus = "HEALTHY" | "FLAKY" | "BROKEN";

/** A present or former status of the test. */
export interface StatusChange {
  readonly status: TestStatus;
  readonly at: number;
  readonly reason: StatusReason;
}

export type StatusReason =
  | { readonly code: "NOTHING_KNOWN" }
  /** The test passed and failed on one tree, in enough episodes. `tree` is the latest one. */
  | { readonly code: "FLIPPED_ON_ONE_TREE"; readonly tree: string; readonly episodes: number }
  /** On stable branches, the test failed more often than a healthy test does. */
  | { readonly code: "FAILS_NOW_AND_THEN"; readonly streaks: number }
  | { readonly code: "FAILS_EACH_TIME"; readonly failures: number; readonly tree: string }
  /** The test was flaky, and fails in different changes more often than its flakiness explains. */
  | { readonly code: "FAILS_EVERYWHERE"; readonly failures: number; readonly tree: string }
  /** The test was broken before. */
  | { readonly code: "PASSED_AGAIN"; readonly tree: string }
  | { readonly code: "RECOVERED"; readonly runs: number };

export type StatusReasonCode = StatusReason["code"];

/** The reason as a sentence without a full stop. */
export function renderStatusReason(reason: StatusReason): string {
  switch (reason.code) {
    case "NOTHING_KNOWN":
      return "No sign of flakiness";
    case "FLIPPED_ON_ONE_TREE":
      return `Passed and failed on the same tree ${reason.tree.slice(0, 7)} (${counted(reason.episodes, "episode")})`;
    case "FAILS_NOW_AND_THEN":
      return `Failed ${counted(reason.streaks, "separate time")} on stable branches, and passed in between`;
    case "FAILS_EACH_TIME":
      return `Failed ${counted(reason.failures, "time")} in a row on stable branches, last on tree ${reason.tree.slice(0, 7)}`;
    case "FAILS_EVERYWHERE":
      return `Failed ${counted(reason.failures, "time")} in different changes, which flakiness does not explain, last on tree ${reason.tree.slice(0, 7)}`;
    case "PASSED_AGAIN":
      return `Passed again, on tree ${reason.tree.slice(0, 7)}`;
    case "RECOVERED":
      return `Passed ${counted(reason.runs, "time")} in a row, more than it would if it were still flaky`;
    default:
      return assertNever(reason);
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
