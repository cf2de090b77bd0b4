import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";
import type { RunSource } from "./source.ts";

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

/** A time at which flips came, with what the weightiest of them weighs. */
export interface Episode {
  /** Of its first flip. */
  readonly at: number;
  readonly tree: string;
  readonly weight: number;
  /** Where they came, each once. */
  readonly sources: readonly RunSource[];
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
  return kept.map((one, at) => (at === near ? joined(one, flip) : one));
}

/** So many sources of an episode are kept: more than two prove nothing more. */
const keptSources = 3;

function joined(one: Episode, flip: Episode): Episode {
  const others = flip.sources.filter(({ name }) => one.sources.every((known) => known.name !== name));
  const sources = [...one.sources, ...others].slice(0, keptSources);
  return one.weight < flip.weight ? { ...flip, at: one.at, sources } : { ...one, sources };
}

/** Whether flips show it for every run: those of one pull request may be its own doing. */
export function isFlakyByFlips(
  episodes: readonly Episode[],
  { flips, independent }: DetectionSettings = defaultDetectionSettings,
): boolean {
  if (weightOf(episodes) < flips.needed) return false;
  const sources = episodes.flatMap((episode) => episode.sources);
  const pulls = new Set(sources.filter(({ kind }) => kind === "pr").map(({ name }) => name));
  return pulls.size >= independent.pullRequests || sources.some(({ kind }) => kind !== "pr");
}

/** The pull requests whose own flips show that it is flaky there. */
export function pullRequestsWithFlips(
  episodes: readonly Episode[],
  { flips }: DetectionSettings = defaultDetectionSettings,
): readonly string[] {
  const weights = new Map<string, number>();
  for (const { sources, weight } of episodes)
    for (const { kind, name } of sources)
      if (kind === "pr") weights.set(name, (weights.get(name) ?? 0) + weight);
  return [...weights].filter(([, weight]) => weight >= flips.needed).map(([name]) => name);
}

function weightOf(episodes: readonly Episode[]): number {
  return episodes.reduce((sum, { weight }) => sum + weight, 0);
}
