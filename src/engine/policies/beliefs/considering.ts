import type { Decision } from "../../decision.ts";
import { skipsTheLine } from "../../model/entry.ts";
import { type QueueState, startsTests } from "../../model/queue.ts";
import { usesLanes } from "../../model/settings.ts";
import { preemptible } from "../lanes/hedges.ts";
import { BeliefModel } from "./belief-model.ts";
import { notedIn, placesIn } from "./evidence-index.ts";
import { freeSlots } from "./slots.ts";

/** This many waiting entries are considered for each free slot, and this many always. */
const perSlot = 16;
const always = 64;
/**
 * As many are considered in advance as there may be free slots. Of these, at most this many at each input, since each costs as much as it
 * has targets; and only when there are this many, since the lists of all their neighbours are copied.
 */
const perInput = 8;

/** Takes note of the entries that wait, as far as they are considered, when one of them may be next. */
export function considerWaiting(decision: Decision): void {
  if (!mayBeNext(decision.state)) return;
  const { waiting, direct, adaptive } = decision.state;
  const { all } = notedIn(adaptive.tracks);
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
  // Whoever may merge without a test of its own is waited for by those that depend on it.
  for (const pr of direct.values()) if (!all.has(pr)) unknown.push(pr);
  if (unknown.length > 0) decision.record({ type: "entries_considered", prs: unknown });
}

/** While every slot is taken nobody asks what waits, except for what takes slots from others. */
function mayBeNext(state: QueueState): boolean {
  if (!startsTests(state.status)) return false;
  if (!usesLanes(state.settings)) return true;
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (urgent && skipsTheLine(urgent) && !state.adaptive.tracks.has(urgent.pr)) return true;
  return freeSlots(state).any > 0 || preemptible(BeliefModel.of(state)).length > 0;
}
