import { noPolicyMemory, type PolicyMemory } from "../model/policy-memory.ts";
import type { QueueState } from "../model/queue.ts";
import { parseTargets } from "../model/targets.ts";
import {
  type BeliefState,
  beliefsOf,
  type EntryEvidence,
  holdsBeliefs,
  nothingKnown,
  type RecentMerge,
  withBeliefs,
} from "./beliefs/belief-state.ts";
import { type Bisection, restoredBisections, storedBisections, withBisections } from "./fixed/fixed-state.ts";

type StoredBeliefs = Omit<BeliefState, "tracks" | "recentMerges" | "impacts"> & {
  readonly tracks: readonly EntryEvidence[];
  /** The recent merges. Includes the targets, because the targets of entries that left the queue are stored nowhere else. */
  readonly landed: readonly (Omit<RecentMerge, "targets"> & {
    readonly targets: string;
  })[];
};

/** The memory of the policies in a snapshot, without derived data. A policy that has learned nothing yet is absent. */
export interface StoredMemory {
  readonly beliefs?: StoredBeliefs;
  readonly bisections?: readonly Bisection[];
}

/** A new policy starts without evidence about entries. The rates and the recent merges stay, and so do bisections in progress. */
export function withoutEvidence(state: QueueState): QueueState {
  const { rates, recentMerges } = beliefsOf(state);
  const policyMemory = withBeliefs(state.policyMemory, { ...nothingKnown, rates, recentMerges });
  return { ...state, policyMemory };
}

/** Returns what `JSON.stringify` turns into a {@link StoredMemory}. */
export function storedMemory(policyMemory: PolicyMemory): object {
  return {
    beliefs: holdsBeliefs(policyMemory) ? storedBeliefs(policyMemory.beliefs) : undefined,
    bisections: storedBisections(policyMemory),
  };
}

export function restoredMemory({ beliefs, bisections }: StoredMemory): PolicyMemory {
  const memory = beliefs ? withBeliefs(noPolicyMemory, restoredBeliefs(beliefs)) : noPolicyMemory;
  return bisections ? withBisections(memory, restoredBisections(bisections)) : memory;
}

function storedBeliefs({ recentMerges, impacts: _, ...beliefs }: BeliefState) {
  return { ...beliefs, tracks: [...beliefs.tracks.values()], landed: recentMerges };
}

/** Keeps the order of the fields, so that equal states give equal texts. */
function restoredBeliefs({ landed, ...stored }: StoredBeliefs): BeliefState {
  return {
    ...stored,
    tracks: stored.tracks.reduce((all, track) => all.with(track.pr, track), nothingKnown.tracks),
    recentMerges: landed.map((one) => ({ ...one, targets: parseTargets(one.targets) })),
    impacts: null,
  };
}
