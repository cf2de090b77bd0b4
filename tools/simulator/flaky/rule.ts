/** A rule that processes a history, marks tests as flaky, and forgives their failures. */
export interface FlakyRule {
  /** Returns the tests whose failures it would forgive if this were the next upload. */
  readonly forgiven: (upload: SimulatedUpload) => ReadonlySet<number>;
  readonly see: (upload: SimulatedUpload) => void | Promise<void>;
  /** When each test was first marked as flaky, for all pull requests and branches. */
  readonly flagged: ReadonlyMap<number, number>;
}

/** `names`: all test numbers are below this. */
export type CreateRule = (names: number, tests: number) => FlakyRule;

/** One run of all tests, or of the tests of one leg. Tests that are not listed have passed. */
export interface SimulatedUpload {
  /** In milliseconds from the start. */
  readonly at: number;
  readonly kind: "pr" | "stable" | "queue";
  readonly pr: number;
  readonly branch: string;
  /** The stable branch that it belongs to or targets. */
  readonly line: string;
  readonly head: string;
  readonly tree: string;
  readonly runId: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly failed: readonly SimulatedFailure[];
  /** Tests that have their new name. Absent = none. */
  readonly renamed?: ReadonlySet<number>;
}

export interface SimulatedFailure {
  readonly test: number;
  /** The failure message. */
  readonly message: string;
  /**
   * The true cause. `flaky`: none. `real`: a change or a machine breaks the test, always or sometimes. `outage`: many tests
   * failed at once.
   */
  readonly cause: "flaky" | "real" | "outage";
  /** Whether another case with the same name passed after it. */
  readonly hasPassingTwin: boolean;
}

/** A repository's uploads in chronological order, and the truth about its tests. */
export interface SimulatedHistory {
  readonly tests: number;
  /** All test numbers are below this. A renamed test gets another number. */
  readonly names: number;
  readonly uploads: readonly SimulatedUpload[];
  /** Tests that sometimes fail without cause. */
  readonly flaky: ReadonlySet<number>;
  /** Flaky tests that always fail from some time on. */
  readonly broken: ReadonlySet<number>;
}
