/** One test: when it ended, how long it took, and how many were under way when it started, itself included. Times are milliseconds. */
export interface TestSample {
  readonly at: number;
  readonly ms: number;
  readonly atOnce: number;
}

/** What a queue knows of how many tests CI serves at once. */
export interface Capacity {
  /** The last tests, oldest first. */
  readonly samples: readonly TestSample[];
  /** Null = no limit has been seen. */
  readonly limit: number | null;
  /** Samples since the limit was last measured. */
  readonly sinceLook: number;
  /** How often in a row no limit was found. */
  readonly looksWithout: number;
}

export const unknownCapacity: Capacity = { samples: [], limit: null, sinceLook: 0, looksWithout: 0 };
