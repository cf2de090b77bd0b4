import type { Decision } from "../decision.ts";
import { type Entry, skipsTheLine } from "../entry.ts";
import { sendBack } from "../line.ts";
import { startsTests } from "../queue.ts";

/** Makes way for an urgent entry: what it depends on and is under test goes back behind it. */
export function interruptNeighbours(decision: Decision): void {
  const { state } = decision;
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (!urgent || !skipsTheLine(urgent) || !startsTests(state.status)) return;
  const track = state.adaptive.tracks.get(urgent.pr);
  if (!track || track.started) return;
  for (const pr of track.neighbours) {
    const entry = decision.state.entries.get(pr);
    if (!entry || skipsTheLine(entry) || !isUnderTest(entry)) continue;
    sendBack(decision, entry, { code: "INTERRUPTED_BY_URGENT", pr: urgent.pr });
  }
}

function isUnderTest({ state, runId }: Entry): boolean {
  return state === "testing" || (state === "pending" && runId !== null);
}
