import type { Decision } from "../../decision.ts";
import { sendBack, sendBackFollowers } from "../../lifecycle/line.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { depend } from "../../model/order/dependencies.ts";
import { isBeingMerged, mayBeSentBackInFreeze } from "../../model/order/may-merge.ts";
import { type QueueState, startsTests } from "../../model/queue.ts";

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
