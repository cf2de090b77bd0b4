import type { Decision } from "../../decision.ts";
import { startsTests } from "../../model/queue.ts";
import { arrangementOf } from "./arrangement.ts";
import { beliefsOf } from "./belief-state.ts";
import { notedIn, placesIn } from "./evidence-index.ts";

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
  const { mayStart, modelOf } = arrangementOf(decision);
  if (!startsTests(decision.state.status) || !mayStart(decision.state)) return;
  const { waiting, direct } = decision.state;
  const { all } = notedIn(beliefsOf(decision.state).tracks);
  const { slots } = modelOf(decision.state);
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
