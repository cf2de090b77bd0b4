/** What the queue has learned about required checks from its test branches, by name. */
export interface CheckMemory {
  /** They have reported. */
  readonly heard: readonly string[];
  /** A test failed because they never reported, and they have not reported since. */
  readonly silent: readonly string[];
}

export const noMemory: CheckMemory = { heard: [], silent: [] };
