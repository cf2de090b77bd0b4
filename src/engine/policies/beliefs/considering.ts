import type { Decision } from "../../decision.ts";
import { skipsTheLine } from "../../model/entry.ts";
import { type QueueState, startsTests } from "../../model/queue.ts";
import { usesLanes } from "../../model/settings.ts";
import { preemptible } from "../lanes/hedges.ts";
import { BeliefModel } from "./belief-model.ts";
import { beliefsOf } from "./belief-state.ts";
import { notedIn, placesIn } from "./evidence-index.ts";
import { freeSlots } from "./slots.ts";

/** The number of waiting entries that are considered for each free slot. */
const perSlot = 16;
/** The number of waiting entries that are considered in addition. */
const always = 64;
/**
 * Further entries are considered in advance, as if all slots were free. At each input, either this number of them or none: each costs
 * time in proportion to its targets, and fewer are not worth the copies of the lists of all their neighbours.
 */
const perInput = 8;

/** Starts to track the first waiting entries if one of them may be tested next. */
export function considerWaiting(decision: Decision): void {
  if (!mayBeNext(decision.state)) return;
  const { waiting, direct } = decision.state;
  const { all } = notedIn(beliefsOf(decision.state).tracks);
  const slots = freeSlots(decision.state);
  const near = always + perSlot * slots.any;
  const horizon = always + perSlot * slots.all;
  const most = decision.events.some(({ data }) => data.type === "entries_considered") ? 0 : perInput;
  const unknown: number[] = [];
  const further: number[] = [];
  for (const [pr, place] of placesIn(waiting)) {
    if (all.has(pr)) continue;
    if (place >= horizon || (place >= near && further.length >= most)) break;
    (place < near ? unknown : further).push(pr);
  }
  if (further.length === perInput) unknown.push(...further);
  // An entry that may merge without a test is tracked, because its dependents wait for it.
  for (const pr of direct.values()) if (!all.has(pr)) unknown.push(pr);
  if (unknown.length > 0) decision.record({ type: "entries_considered", prs: unknown });
}

/** Whether a waiting entry may start: a slot is free, or can be taken from a hedge, or the first waiting entry is urgent. */
function mayBeNext(state: QueueState): boolean {
  if (!startsTests(state.status)) return false;
  if (!usesLanes(state.settings)) return true;
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (urgent && skipsTheLine(urgent) && !beliefsOf(state).tracks.has(urgent.pr)) return true;
  return freeSlots(state).any > 0 || preemptible(BeliefModel.of(state)).length > 0;
}
