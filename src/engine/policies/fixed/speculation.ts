import type { Decision } from "../../decision.ts";
import { sendBack, sendBackFollowers } from "../../lifecycle/line.ts";
import { freeSlots } from "../../model/capacity/usable-slots.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { depend, goodAhead } from "../../model/order/dependencies.ts";
import { mayBeSentBackInFreeze } from "../../model/order/may-merge.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { nextBatch } from "./batching.ts";

/** Starts test runs while slots are free, each on top of the entries in the line that it depends on and that are not known to be bad. */
export function startRuns(decision: Decision): void {
  for (let free = freeSlots(decision.state); free > 0; free -= 1) {
    const { state, context } = decision;
    const base = baseTip(state);
    const members = nextBatch(state, context.now);
    if (base === null || members === null) return;
    decision.record({
      type: "run_started",
      run: {
        id: context.newId(),
        kind: "main",
        bisectionId: null,
        method: state.settings.mergeMethod,
        base,
        ahead: goodAhead(state, members),
        members,
      },
    });
  }
}

/** Makes way for an urgent entry: requeues its dependencies that are under test, so that they are tested behind it. */
export function interruptForUrgent(decision: Decision): void {
  const { state } = decision;
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (!urgent || !skipsTheLine(urgent) || !startsTests(state.status)) return;
  for (const pr of state.line) {
    const entry = decision.state.entries.get(pr);
    if (!entry || !isInterruptible(decision.state, entry) || !depend(state, urgent, entry)) continue;
    sendBack(decision, entry, { code: "INTERRUPTED_BY_URGENT", pr: urgent.pr });
    sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
  }
}

/** Whether an urgent entry may take the place of an entry. Passed entries merge before the urgent one, except during a freeze. */
function isInterruptible(state: QueueState, entry: Entry): boolean {
  return mayBeSentBackInFreeze(state, entry) || (!skipsTheLine(entry) && isUnderTest(entry));
}

function isUnderTest({ state, runId, bisectionId }: Entry): boolean {
  return state === "testing" || (state === "pending" && (runId !== null || bisectionId !== null));
}
