/** One run of all tests, or of one leg's. What is not named has passed. */
export interface SimulatedUpload {
  /** Milliseconds from the beginning. */
  readonly at: number;
  readonly kind: "pr" | "stable" | "queue";
  readonly pr: number;
  readonly branch: string;
  /** The stable branch that it belongs to. */
  readonly line: string;
  readonly head: string;
  readonly tree: string;
  readonly runId: string;
  /** From 1. */
  readonly attempt: number;
  readonly failed: readonly SimulatedFailure[];
  /** Tests that have their second name. Absent: none. */
  readonly renamed?: ReadonlySet<number>;
}

export interface SimulatedFailure {
  readonly test: number;
  /** What it said. */
  readonly message: string;
  /** The truth: for nothing; for a change or a machine that breaks it each time, or sometimes; or since everything failed. */
  readonly cause: "flaky" | "real" | "outage";
  /** Another case of the same name passed, after it. */
  readonly hasPassingTwin: boolean;
}

/** A repository's uploads in the order of time, and the truth about its tests. */
export interface SimulatedHistory {
  readonly tests: number;
  /** Tests are numbered below this: one that gets another name gets another number. */
  readonly names: number;
  readonly uploads: readonly SimulatedUpload[];
  /** Those that fail for nothing now and then. */
  readonly flaky: ReadonlySet<number>;
  /** Flaky tests that fail each time from a moment on. */
  readonly broken: ReadonlySet<number>;
}
