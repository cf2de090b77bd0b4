import type { Decision } from "../decision.ts";
import { orderTimeOf } from "../model/entry.ts";
import type { QueueState } from "../model/queue.ts";
import { settingInUse } from "../model/settings.ts";

/**
 * Ages the entries that have waited for the maximum time of the queue. From then on, only urgent entries overtake them. Waiting entries
 * that were submitted before them have aged, too, so that aged entries keep the order of submission.
 */
export function ageWaiting(decision: Decision): void {
  for (let due = nextAgeing(decision.state); due !== null; due = nextAgeing(decision.state)) {
    const pr = decision.state.ageing.first();
    if (pr === undefined || due > decision.context.now) return;
    decision.record({ type: "entry_aged", pr });
  }
}

/** Returns when the next entry ages, in milliseconds since the epoch; null if no entry can age. */
export function nextAgeing(state: QueueState): number | null {
  const pr = state.ageing.first();
  const entry = pr === undefined ? undefined : state.entries.get(pr);
  if (!entry) return null;
  return orderTimeOf(entry) + settingInUse(state.settings, "priorityMaxWaitTimeMinutes") * 60_000;
}
