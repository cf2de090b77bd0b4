import { offTheLine, update } from "../fold/entry-index.ts";
import type { Entry } from "../model/entry.ts";
import type { Event, EventData } from "../model/event.ts";
import { noPolicyMemory, type PolicyMemory, type QueueState } from "../model/queue.ts";
import { usesLanes } from "../model/settings.ts";
import { parseTargets } from "../model/targets.ts";
import { isActive } from "../model/test-run.ts";
import type { PolicyFold } from "../policy-fold.ts";
import {
  type BeliefState,
  beliefsOf,
  type EntryEvidence,
  holdsBeliefs,
  nothingKnown,
  type RecentMerge,
  withBeliefs,
} from "./beliefs/belief-state.ts";
import { blocksAfter } from "./blocks/evolve-blocks.ts";
import {
  type Bisection,
  fixedFold,
  restoredBisections,
  storedBisections,
  withBisections,
} from "./fixed/fixed-fold.ts";
import { lanesAfter } from "./lanes/evolve-lanes.ts";

const lanesFold = createBeliefFold(lanesAfter);
const blocksFold = createBeliefFold(blocksAfter);

export function foldOf({ strategy, settings }: Pick<QueueState, "strategy" | "settings">): PolicyFold {
  if (strategy === "line") return fixedFold;
  return usesLanes(settings) ? lanesFold : blocksFold;
}

/** Whether an event changes the policy that decides. Another setting `policy` may mean the same one. */
export function switchesPolicy(before: QueueState, after: QueueState, { type }: EventData): boolean {
  const mayChange = type === "strategy_chosen" || type === "queue_configured";
  return mayChange && foldOf(before) !== foldOf(after);
}

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
    tracks: stored.tracks.reduce((all, evidence) => all.with(evidence.pr, evidence), nothingKnown.tracks),
    recentMerges: landed.map((one) => ({ ...one, targets: parseTargets(one.targets) })),
    impacts: null,
  };
}

/**
 * Returns the fold of a policy that uses beliefs. Several runs may test an entry. When the run of an entry ends, the entry is assigned to
 * another one.
 */
export function createBeliefFold(
  beliefsAfter: (before: QueueState, after: QueueState, event: Event) => BeliefState,
): PolicyFold {
  return {
    entryRequeued: onItsNextRun,
    runDiscarded(state, { id, ahead, members }) {
      let next: QueueState = state;
      for (const pr of [...ahead, ...members]) {
        const entry = next.entries.get(pr);
        if (entry?.runId === id) next = onItsNextRun(next, entry);
      }
      return next;
    },
    learn: (before, after, event) => ({
      ...after,
      policyMemory: withBeliefs(after.policyMemory, beliefsAfter(before, after, event)),
    }),
  };
}

/** Assigns an entry to another run that proves it, or to an active one that decides about it. Without one, the entry leaves the line. */
function onItsNextRun(state: QueueState, { pr, runId, state: at }: Entry): QueueState {
  const next = (at === "tests_passed" ? proofOf(state, pr) : null) ?? otherRunOf(state, pr);
  if (next === null) return offTheLine(state, pr);
  return next === runId ? state : update(state, pr, { runId: next });
}

function proofOf({ runs, policyMemory }: QueueState, pr: number): string | null {
  const certificates = beliefsOf({ policyMemory }).tracks.get(pr)?.certificates ?? [];
  return certificates.find(({ runId }) => runs.has(runId))?.runId ?? null;
}

/** Returns the active run with the smallest id that decides about an entry, so that the result does not depend on the order of runs. */
function otherRunOf({ runs }: QueueState, pr: number): string | null {
  let found: string | null = null;
  for (const run of runs.values()) {
    if (isActive(run) && run.members.includes(pr) && (found === null || run.id < found)) found = run.id;
  }
  return found;
}
