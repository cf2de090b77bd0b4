import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/** First attempts on stable branches that failed in a row. */
export interface FailingStreak {
  readonly failures: number;
  /** Different trees, at most as many as are needed. */
  readonly trees: readonly string[];
}

export const noStreak: FailingStreak = { failures: 0, trees: [] };

export function addFailure(
  { failures, trees }: FailingStreak,
  tree: string,
  { broken }: DetectionSettings = defaultDetectionSettings,
): FailingStreak {
  const isNew = trees.length < broken.trees && !trees.includes(tree);
  return { failures: failures + 1, trees: isNew ? [...trees, tree] : trees };
}

/** The test fails each time, on more than one tree: it is broken, or the code that it tests is. */
export function isBroken(
  { failures, trees }: FailingStreak,
  { broken }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return failures >= broken.failures && trees.length >= broken.trees;
}
