import { adaptiveDeadline } from "./policies/beliefs/deadline.ts";
import { nextAgeing } from "./lifecycle/ageing.ts";
import { batchDeadline } from "./policies/fixed/batching.ts";
import { type QueueState, startsTests } from "./model/queue.ts";
import { readinessTimeoutMs } from "./model/settings.ts";
import { freeSlots } from "./model/usable-slots.ts";
import { usesBeliefs } from "./model/strategy.ts";
import { nextTryDeadline } from "./lifecycle/tries.ts";

/** When the passing of time next changes something, in milliseconds since the epoch; null = never. */
export function nextDeadline(state: QueueState): number | null {
  const times: number[] = [];
  const unready = state.unready.first();
  if (unready !== undefined)
    times.push((state.entries.get(unready)?.stateChangedAt ?? 0) + readinessTimeoutMs(state.settings));
  const delayed = state.delayed.first();
  if (delayed !== undefined) times.push(state.entries.get(delayed)?.retryAt ?? 0);
  const ageing = nextAgeing(state);
  if (ageing !== null) times.push(ageing);
  const starts = startsTests(state.status);
  const fixed = () => (freeSlots(state) > 0 ? batchDeadline(state) : null);
  const batch = starts ? (usesBeliefs(state) ? adaptiveDeadline(state) : fixed()) : null;
  if (batch !== null) times.push(batch);
  const run = state.runs.get(state.runIndex.deadlines.first() ?? "");
  if (run && run.deadline !== null) times.push(run.deadline);
  if (state.freeze !== null) times.push(state.freeze.until);
  const tried = nextTryDeadline(state);
  if (tried !== null) times.push(tried);
  return times.length === 0 ? null : Math.min(...times);
}
