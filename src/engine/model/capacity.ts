/** A finished test: its end, its duration, and the number of tests in flight when it started, itself included. Times are milliseconds. */
export interface TestSample {
  readonly at: number;
  readonly ms: number;
  readonly atOnce: number;
}

/** A queue's estimate of the number of tests that CI runs at once. */
export interface Capacity {
  /** The most recent tests, oldest first. */
  readonly samples: readonly TestSample[];
  /** The number of tests that CI runs at once; null = no limit has been found. */
  readonly limit: number | null;
  /** The number of samples since the last measurement of the limit. */
  readonly sinceLook: number;
  /** The number of measurements in a row that found no limit. */
  readonly looksWithout: number;
}

export const unknownCapacity: Capacity = { samples: [], limit: null, sinceLook: 0, looksWithout: 0 };
