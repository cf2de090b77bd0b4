import type { Event, EventOf } from "../../model/event.ts";
import type { QueueState } from "../../model/queue.ts";
import { requireEntry } from "../../model/queue.ts";
import type { Targets } from "../../model/targets.ts";
import { afterFlake, type BeliefState, type EntryEvidence, staleMs } from "../beliefs/belief-state.ts";

import { checksOf, evidenceIndexOf, incriminate } from "../beliefs/evidence.ts";

import {
  beliefsAfter,
  newEvidence,
  revise,
  untracked,
  withoutEvidenceOf,
} from "../beliefs/evolve-beliefs.ts";

import { ImpactIndex } from "./impact-index.ts";

/** Returns the evidence in `parallel` mode after an event, given the states before and after it. */
export function lanesAfter(before: QueueState, after: QueueState, event: Event): BeliefState {
  const known = beliefsAfter(before, after, event);
  const { data } = event;
  switch (data.type) {
    case "entries_considered":
      return considerNeighbours(after, known, data.prs);
    case "run_concluded":
      return conclude(after, known, data);
    case "entry_widened":
      return revise(known, data.pr, { useTransitiveDependencies: true });
    case "entry_targeted":
      // Its neighbours change, so that it has to be considered again.
      return withoutEvidenceOf(known, data.pr);
    default:
      return known;
  }
}

function conclude(
  state: QueueState,
  known: BeliefState,
  { runId, verdict, reason }: EventOf<"run_concluded">,
): BeliefState {
  const run = state.runs.get(runId);
  if (!run) return known;
  if (verdict === "passed") return { ...known, rates: { ...known.rates, runs: known.rates.runs + 1 } };
  const tracks = incriminate(known.tracks, run, reason);
  if (tracks) return { ...known, tracks };
  return { ...known, rates: afterFlake(known.rates, checksOf(reason)) };
}

/** Starts to track entries, with their neighbours, and the number of pull requests that merged recently among these. */
export function considerNeighbours(
  state: QueueState,
  known: BeliefState,
  prs: readonly number[],
): BeliefState {
  const impacts = known.impacts ?? new ImpactIndex();
  const recentMerges = new Map(known.recentMerges.map((one) => [one.pr, one]));
  const tracked = evidenceIndexOf(known.tracks).all;
  impacts.know(
    [...tracked.keys(), ...recentMerges.keys()],
    (pr) => recentMerges.get(pr)?.targets ?? targetsOf(state, pr),
  );
  const begun = new Map<number, EntryEvidence>();
  // Collects the changes of all entries first, so that each neighbour copies its list only once.
  const met = new Map<number, number[]>();
  for (const pr of untracked(state, known, prs)) {
    const targets = targetsOf(state, pr);
    const overlapping = impacts.overlapping(targets);
    impacts.add(pr, targets);
    const neighbours = overlapping.filter((other) => tracked.has(other) || begun.has(other));
    for (const other of neighbours) {
      const others = met.get(other);
      if (others) others.push(pr);
      else met.set(other, [pr]);
    }
    const since = requireEntry(state, pr).submittedAt - staleMs;
    const isExposedTo = (other: number) => (recentMerges.get(other)?.at ?? Number.NEGATIVE_INFINITY) > since;
    const exposure = overlapping.filter(isExposedTo).length;
    begun.set(pr, { ...newEvidence(pr), neighbours, exposure });
  }
  let { tracks } = known;
  for (const evidence of begun.values()) tracks = tracks.with(evidence.pr, evidence);
  for (const [pr, others] of met) {
    const evidence = tracks.get(pr);
    if (evidence) tracks = tracks.with(pr, { ...evidence, neighbours: [...evidence.neighbours, ...others] });
  }
  return { ...known, impacts, tracks };
}

function targetsOf(state: QueueState, pr: number): Targets {
  return state.entries.get(pr)?.targets ?? "ALL";
}
