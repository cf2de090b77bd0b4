import type { RunSource } from "./pull-requests.ts";
import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/** The outcomes of the tests of one upload, by id; without skipped tests. */
export interface TreeOutcomes {
  readonly isSuspect: boolean;
  readonly outcomes: ReadonlyMap<string, "passed" | "failed">;
}

/** Tests that passed in one of two runs of the same tree, and failed in the other. */
export interface Flips {
  readonly tests: readonly string[];
  /** The weight of each flip, as evidence against its test. */
  readonly weight: number;
}

/** A period in which flips occurred, with the weight of the weightiest one. */
export interface Episode {
  /** The time of its first flip. */
  readonly at: number;
  readonly tree: string;
  readonly weight: number;
  /** The sources of its flips, without duplicates. */
  readonly sources: readonly RunSource[];
}

const none: Flips = { tests: [], weight: 0 };

/**
 * The flips that two runs of one tree show, in either order and with any time between them. The runs must be comparable: of the
 * same job and variant. A suspect run shows nothing.
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

/** The weight of each of `tests` flips that occurred together. The more there are, the likelier is a cause outside of the tests. */
export function flipWeight(tests: number, { flips }: DetectionSettings = defaultDetectionSettings): number {
  if (tests === 0) return 0;
  return flips.weights.find((step) => tests <= step.tests)?.weight ?? flips.crowdWeight;
}

/** Adds a flip to the episodes, and removes episodes outside of the window. */
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

/** The maximum number of sources to keep for an episode. More than two prove nothing more. */
const keptSources = 3;

function joined(one: Episode, flip: Episode): Episode {
  const others = flip.sources.filter(({ name }) => one.sources.every((known) => known.name !== name));
  const sources = [...one.sources, ...others].slice(0, keptSources);
  return one.weight < flip.weight ? { ...flip, at: one.at, sources } : { ...one, sources };
}

/** Whether flips show that the test is flaky in every run. The flips of a single pull request may be caused by its change. */
export function isFlakyByFlips(
  episodes: readonly Episode[],
  { flips, independent }: DetectionSettings = defaultDetectionSettings,
): boolean {
  if (weightOf(episodes) < flips.needed) return false;
  const sources = episodes.flatMap((episode) => episode.sources);
  const pulls = new Set(sources.filter(({ kind }) => kind === "pr").map(({ name }) => name));
  return pulls.size >= independent.pullRequests || sources.some(({ kind }) => kind !== "pr");
}

/** The pull requests whose own flips show that the test is flaky in them. */
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
