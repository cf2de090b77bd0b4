import type { Decision } from "../../decision.ts";
import { sendBack } from "../../lifecycle/line.ts";
import { isBeingMerged } from "../../lifecycle/run-end.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { startsTests } from "../../model/queue.ts";
import type { Track } from "../beliefs/adaptive-state.ts";
import { Scene } from "../beliefs/scene.ts";
import { mayBeSentBackInFreeze } from "../fixed/freeze-way.ts";
import { freshEntries } from "./starting.ts";

/** Makes way for an urgent entry: what it depends on and is under test goes back behind it. */
export function interruptNeighbours(decision: Decision): void {
  const { state } = decision;
  if (!startsTests(state.status)) return;
  if (state.freeze !== null) makeWayForNeighbours(decision);
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (!urgent || !skipsTheLine(urgent)) return;
  const scene = Scene.of(state);
  const [track] = freshEntries(scene, 1);
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

/** During a freeze, sends back what would merge before an urgent entry, and may not before the freeze ends. */
function makeWayForNeighbours(decision: Decision): void {
  const first = decision.state.waiting.first();
  for (const { pr, place } of decision.state.adaptive.tracks.values()) {
    const urgent = decision.state.entries.get(pr);
    const isNext = place !== null || pr === first;
    if (!isNext || !urgent || !skipsTheLine(urgent) || isBeingMerged(decision.state, pr)) continue;
    for (let other = inTheWayOf(decision, pr); other; other = inTheWayOf(decision, pr))
      sendBack(decision, other, { code: "INTERRUPTED_BY_URGENT", pr });
  }
}

/** Looked up afresh after each: what is sent back may take others with it. */
function inTheWayOf({ state }: Decision, pr: number): Entry | null {
  const scene = Scene.of(state);
  const track = scene.track(pr);
  // Without a place it is behind every urgent entry already.
  const isInTheWay = (other: Track) =>
    other.place !== null && mayBeSentBackInFreeze(state, scene.entry(other));
  const found = track && scene.ahead(track).find(isInTheWay);
  return found ? scene.entry(found) : null;
}
