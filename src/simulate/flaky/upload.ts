/** The results of one run of all tests. Whatever is not named has passed. */
export interface SimulatedUpload {
  /** Milliseconds from the beginning. */
  readonly at: number;
  readonly branch: "pr" | "stable" | "queue";
  readonly head: number;
  readonly tree: number;
  /** From 1. */
  readonly attempt: number;
  readonly failed: readonly number[];
}

/** A repository's uploads in the order of time, and the truth about its tests. */
export interface FlakyHistory {
  readonly tests: number;
  readonly uploads: readonly SimulatedUpload[];
  /** Failure rates of the tests that are flaky. */
  readonly flaky: ReadonlyMap<number, number>;
  /** Failures for nothing: which test, and when. */
  readonly flakes: readonly { readonly test: number; readonly at: number }[];
}
