import type { Decision } from "../../decision.ts";
import { sendBack } from "../../lifecycle/line.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { isBeingMerged, mayBeSentBackInFreeze } from "../../model/order/may-merge.ts";
import { startsTests } from "../../model/queue.ts";
import { beliefsOf, type EntryEvidence } from "../beliefs/belief-state.ts";
import { laneModelOf } from "./lane-model.ts";
import { freshEntries } from "./starting.ts";

/** Makes way for an urgent entry: requeues its neighbours that are under test, so that they are tested behind it. */
export function interruptNeighbours(decision: Decision): void {
  const { state } = decision;
  if (!startsTests(state.status)) return;
  if (state.freeze !== null) makeWayForNeighbours(decision);
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (!urgent || !skipsTheLine(urgent)) return;
  const model = laneModelOf(state);
  const [track] = freshEntries(model, 1);
  // Interrupting others would not help an entry that cannot start.
  if (track?.pr !== urgent.pr) return;
  for (const pr of track.neighbours) {
    const entry = decision.state.entries.get(pr);
    if (!entry || skipsTheLine(entry) || !isUnderTest(entry)) continue;
    sendBack(decision, entry, { code: "INTERRUPTED_BY_URGENT", pr: urgent.pr });
  }
}

function isUnderTest({ state, runId }: Entry): boolean {
  return state === "testing" || (state === "pending" && runId !== null);
}

/** During a freeze, requeues the entries that precede an urgent entry and may merge only after the freeze. */
function makeWayForNeighbours(decision: Decision): void {
  const first = decision.state.waiting.first();
  for (const { pr, place } of beliefsOf(decision.state).tracks.values()) {
    const urgent = decision.state.entries.get(pr);
    const isNext = place !== null || pr === first;
    if (!isNext || !urgent || !skipsTheLine(urgent) || isBeingMerged(decision.state, pr)) continue;
    for (let other = inTheWayOf(decision, pr); other; other = inTheWayOf(decision, pr))
      sendBack(decision, other, { code: "INTERRUPTED_BY_URGENT", pr });
  }
}

/** Returns one entry that is in the way of an urgent one. Called again after each requeue, which may requeue others, too. */
function inTheWayOf({ state }: Decision, pr: number): Entry | null {
  const model = laneModelOf(state);
  const track = model.track(pr);
  // An entry without a place is behind every urgent entry already.
  const isInTheWay = (other: EntryEvidence) =>
    other.place !== null && mayBeSentBackInFreeze(state, model.entry(other));
  const found = track && model.ahead(track).find(isInTheWay);
  return found ? model.entry(found) : null;
}
