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
  /** The weight of each flip as evidence. */
  readonly weight: number;
}

/** A period in which flips occurred, with the greatest weight of its flips. */
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

/** The weight of each of `tests` flips that occurred together. The more there are, the more likely is a cause outside of the tests. */
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

/** The maximum number of sources to keep for an episode. */
const keptSources = 5;

function joined(one: Episode, flip: Episode): Episode {
  const sources = flip.sources.reduce(withSource, one.sources);
  return one.weight < flip.weight ? { ...flip, at: one.at, sources } : { ...one, sources };
}

/** Adds a source. Sources that share a change are joined, because both have one cause. */
function withSource(sources: readonly RunSource[], added: RunSource): readonly RunSource[] {
  const [own, all] = [changesOf(added), sources.map(changesOf)];
  const isSame = ({ kind, name }: RunSource) => kind === added.kind && name === added.name;
  const at = sources.findIndex((one, index) => isSame(one) || !all[index]?.isDisjointFrom(own));
  if (at === -1)
    return isMerged(added)
      ? [added, ...sources].slice(0, keptSources)
      : [...sources, added].slice(0, keptSources);
  const changes = [...own.union(all[at] ?? own)];
  return sources.map((one, index) => (index === at && own.size > 0 ? { ...one, changes } : one));
}

function changesOf({ changes = [] }: RunSource): ReadonlySet<string> {
  return new Set(changes);
}

/** Whether a stable branch contains all changes of the source. */
function isMerged({ kind, changes }: RunSource): boolean {
  return kind === "stable" || changes?.length === 0;
}

/**
 * Whether flips show that the test is flaky in every run. Flips of changes that are on no stable branch may be caused by these
 * changes, unless there are many that have nothing in common.
 */
export function isFlakyByFlips(
  episodes: readonly Episode[],
  { flips, independent }: DetectionSettings = defaultDetectionSettings,
): boolean {
  if (weightOf(episodes) < flips.needed) return false;
  const sources = episodes.flatMap((episode) => episode.sources);
  return sources.some(isMerged) || independentChanges(sources) >= independent.changes;
}

/** The number of groups of sources such that two sources of different groups have no change in common. */
export function independentChanges(sources: readonly RunSource[]): number {
  let groups: ReadonlySet<string>[] = [];
  for (const source of sources) {
    const all = changesOf(source);
    if (all.size === 0) continue;
    const [joining, others] = [
      groups.filter((one) => !one.isDisjointFrom(all)),
      groups.filter((one) => one.isDisjointFrom(all)),
    ];
    groups = [...others, joining.reduce((sum, one) => sum.union(one), all)];
  }
  return groups.length;
}

/** Whether one flip would be enough to show that the test is flaky, if it occurred on a stable branch. */
export function hasHeavyFlip(
  episodes: readonly Episode[],
  { flips }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return episodes.some(({ weight }) => weight >= flips.needed);
}

function weightOf(episodes: readonly Episode[]): number {
  return episodes.reduce((sum, { weight }) => sum + weight, 0);
}
