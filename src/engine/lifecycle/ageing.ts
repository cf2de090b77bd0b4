import type { Decision } from "../decision.ts";
import type { QueueState } from "../model/queue.ts";
import { effective } from "../model/settings.ts";

/**
 * Lets entries age that have waited for as long as the queue allows: from then on only urgent ones overtake them. Whatever
 * was submitted before them and waits has aged, too, so that they keep the order of submission among each other.
 */
export function ageWaiting(decision: Decision): void {
  for (let due = nextAgeing(decision.state); due !== null; due = nextAgeing(decision.state)) {
    const pr = decision.state.ageing.first();
    if (pr === undefined || due > decision.context.now) return;
    decision.record({ type: "entry_aged", pr });
  }
}

/** When the next entry ages, in milliseconds since the epoch; null when nothing waits that could be overtaken. */
export function nextAgeing(state: QueueState): number | null {
  const pr = state.ageing.first();
  const entry = pr === undefined ? undefined : state.entries.get(pr);
  if (!entry) return null;
  return entry.submittedAt + effective(state.settings, "priorityMaxWaitTimeMinutes") * 60_000;
}
