import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/** First attempts on stable branches that failed in a row. */
export interface FailingStreak {
  readonly failures: number;
  /** Different ones, no more than are asked for. */
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

/** It fails each time, and not on one tree only: it, or what it tests, is broken. */
export function isBroken(
  { failures, trees }: FailingStreak,
  { broken }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return failures >= broken.failures && trees.length >= broken.trees;
}
