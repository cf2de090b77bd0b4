import type { Decision } from "../../decision.ts";
import { sendBack, sendBackFollowers } from "../../lifecycle/requeue.ts";
import { freeSlots } from "../../model/capacity/slots.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { depend, goodAhead, isBeingMerged, mayBeSentBackInFreeze } from "../../model/order/dependencies.ts";
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

/**
 * Policy `fixed`: during a freeze, requeues the entries that are ahead of an urgent entry in the line, or tested together with it. They
 * merge only after the freeze, and the urgent entry would have to wait for them.
 */
export function makeWayInFreeze(decision: Decision): void {
  if (decision.state.freeze === null || !startsTests(decision.state.status)) return;
  for (const pr of decision.state.line) {
    const urgent = decision.state.entries.get(pr);
    const isInLine = decision.state.line.includes(pr);
    if (!urgent || !isInLine || !skipsTheLine(urgent) || isBeingMerged(decision.state, pr)) continue;
    for (const other of inTheWayOf(decision.state, urgent)) {
      if (!decision.state.line.includes(other)) continue;
      sendBack(decision, decision.entry(other), { code: "INTERRUPTED_BY_URGENT", pr });
      sendBackFollowers(decision, other, { code: "AHEAD_RESTARTED", pr: other });
    }
  }
}

function inTheWayOf(state: QueueState, urgent: Entry): number[] {
  const place = state.line.indexOf(urgent.pr);
  return [...state.line].filter((pr, index) => {
    const other = state.entries.get(pr);
    if (!other || !mayBeSentBackInFreeze(state, other)) return false;
    // A batch that is sized by load may contain independent entries.
    return isTestedWith(urgent, other) || (index < place && depend(state, urgent, other));
  });
}

function isTestedWith(one: Entry, other: Entry): boolean {
  return (
    (one.runId !== null && one.runId === other.runId) ||
    (one.bisectionId !== null && one.bisectionId === other.bisectionId)
  );
}
