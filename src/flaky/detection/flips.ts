import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/** How the tests of one upload went, by id; without skipped ones. */
export interface TreeOutcomes {
  readonly isSuspect: boolean;
  readonly outcomes: ReadonlyMap<string, "passed" | "failed">;
}

/** Tests that passed in one of two runs of the same tree, and failed in the other. */
export interface Flips {
  readonly tests: readonly string[];
  /** Of each, as evidence against it. */
  readonly weight: number;
}

/** Times on which flips came, with what the weightiest of each weighs. */
export interface Episode {
  /** Of its first flip. */
  readonly at: number;
  readonly tree: string;
  readonly weight: number;
}

const none: Flips = { tests: [], weight: 0 };

/**
 * What two runs of one tree show, whichever came first and however long between them. They have to be comparable: the same job, with the
 * same variant. A suspect one shows nothing.
 */
export function flipsBetween(
  one: TreeOutcomes,
  other: TreeOutcomes,
  settings: DetectionSettings = defaultDetectionSettings,
): Flips {
  if (one.isSuspect || other.isSuspect) return none;
  const [small, large] = one.outcomes.size < other.outcomes.size ? [one, other] : [other, one];
  const tests: string[] = [];
  for (const [id, outcome] of small.outcomes) {
    const also = large.outcomes.get(id);
    if (also !== undefined && also !== outcome) tests.push(id);
  }
  return { tests, weight: flipWeight(tests.length, settings) };
}

/** What each of so many flips that came together weighs: the more at once, the likelier is a cause outside of them. */
export function flipWeight(tests: number, { flips }: DetectionSettings = defaultDetectionSettings): number {
  if (tests === 0) return 0;
  return flips.weights.find((step) => tests <= step.tests)?.weight ?? flips.crowdWeight;
}

/** The episodes with one more flip; those out of the window are forgotten. */
export function addFlip(
  episodes: readonly Episode[],
  flip: Episode,
  { flips }: DetectionSettings = defaultDetectionSettings,
): readonly Episode[] {
  const kept = episodes.filter(({ at }) => flip.at - at < flips.window);
  const near = kept.findIndex(({ at }) => Math.abs(flip.at - at) < flips.episode);
  if (near === -1) return [...kept, flip];
  return kept.map((one, at) => (at === near && one.weight < flip.weight ? { ...flip, at: one.at } : one));
}

export function isFlakyByFlips(
  episodes: readonly Episode[],
  { flips }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return episodes.reduce((sum, { weight }) => sum + weight, 0) >= flips.needed;
}
