import { noPolicyMemory, type PolicyMemory } from "../model/policy-memory.ts";
import type { QueueState } from "../model/queue.ts";
import { parseTargets } from "../model/targets.ts";
import { type BeliefState, beliefsOf, type EntryEvidence, nothingKnown } from "./beliefs/belief-state.ts";

/** A policy's memory in a snapshot, without derived data. */
export type StoredMemory = Omit<BeliefState, "tracks" | "landed" | "impacts"> & {
  readonly tracks: readonly EntryEvidence[];
  /** Includes the targets, because the targets of entries that left the queue are stored nowhere else. */
  readonly landed: readonly (Omit<BeliefState["landed"][number], "targets"> & {
    readonly targets: string;
  })[];
};

/** A new policy starts without evidence about entries. The rates and the recent merges stay. */
export function withoutEvidence(state: QueueState): QueueState {
  const { rates, landed } = beliefsOf(state);
  const policyMemory: BeliefState = { ...nothingKnown, rates, landed };
  return { ...state, policyMemory };
}

/** Returns what `JSON.stringify` turns into a {@link StoredMemory}. */
export function storedMemory(policyMemory: PolicyMemory): object | undefined {
  if (policyMemory === noPolicyMemory) return undefined;
  const beliefs = beliefsOf({ policyMemory });
  return { ...beliefs, tracks: [...beliefs.tracks.values()], impacts: undefined };
}

/** Keeps the order of the fields, so that equal states give equal texts. */
export function restoredMemory(stored: StoredMemory | undefined): PolicyMemory {
  if (stored === undefined) return noPolicyMemory;
  const memory: BeliefState = {
    ...stored,
    tracks: stored.tracks.reduce((all, track) => all.with(track.pr, track), nothingKnown.tracks),
    landed: stored.landed.map((one) => ({ ...one, targets: parseTargets(one.targets) })),
    impacts: null,
  };
  return memory;
}
