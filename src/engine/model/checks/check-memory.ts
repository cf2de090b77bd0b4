/** What the queue has learned about required checks from its test branches, by name. */
export interface CheckMemory {
  /** Checks that have reported. */
  readonly heard: readonly string[];
  /** Checks that never reported in a test, which failed because of that, and that have not reported since. */
  readonly silent: readonly string[];
}

export const noMemory: CheckMemory = { heard: [], silent: [] };
