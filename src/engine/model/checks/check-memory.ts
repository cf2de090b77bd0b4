/** The names of required checks that have reported, or never report, on the queue's test branches. */
export interface CheckMemory {
  /** Checks that have reported. */
  readonly heard: readonly string[];
  /** Checks that never reported in a test, which failed because of that, and that have not reported since. */
  readonly silent: readonly string[];
}

export const noMemory: CheckMemory = { heard: [], silent: [] };
