import type { Event, EventData } from "../../model/event.ts";
import type { QueueState } from "../../model/queue.ts";
import type { BeliefState } from "../beliefs/belief-state.ts";
import { checksOf, incriminate } from "../beliefs/evidence.ts";
import { beliefsAfter, revise, withoutTrack } from "../beliefs/evolve-beliefs.ts";
import { considerNeighbours } from "../beliefs/evolve-neighbours.ts";
import { afterFlake } from "../beliefs/rates.ts";

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
      return withoutTrack(known, data.pr);
    default:
      return known;
  }
}

function conclude(
  state: QueueState,
  known: BeliefState,
  { runId, verdict, reason }: Extract<EventData, { type: "run_concluded" }>,
): BeliefState {
  const run = state.runs.get(runId);
  if (!run) return known;
  if (verdict === "passed") return { ...known, rates: { ...known.rates, runs: known.rates.runs + 1 } };
  const tracks = incriminate(known.tracks, run, reason);
  if (tracks) return { ...known, tracks };
  return { ...known, rates: afterFlake(known.rates, checksOf(reason)) };
}
