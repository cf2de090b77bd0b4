import { nextAgeing } from "./lifecycle/ageing.ts";
import { nextTryDeadline } from "./lifecycle/tries.ts";
import { type QueueState, startsTests } from "./model/queue.ts";
import { readinessTimeoutMs } from "./model/settings.ts";
import { policyOf } from "./policies/policy-of.ts";

/** Returns when the passing of time next changes something, in milliseconds since the epoch; null = never. */
export function nextDeadline(state: QueueState): number | null {
  const times: number[] = [];
  const unready = state.unready.first();
  if (unready !== undefined)
    times.push((state.entries.get(unready)?.stateChangedAt ?? 0) + readinessTimeoutMs(state.settings));
  const delayed = state.delayed.first();
  if (delayed !== undefined) times.push(state.entries.get(delayed)?.retryAt ?? 0);
  const ageing = nextAgeing(state);
  if (ageing !== null) times.push(ageing);
  const batch = startsTests(state.status) ? policyOf(state).nextDeadline(state) : null;
  if (batch !== null) times.push(batch);
  const run = state.runs.get(state.runIndex.deadlines.first() ?? "");
  if (run && run.deadline !== null) times.push(run.deadline);
  if (state.freeze !== null) times.push(state.freeze.until);
  const tried = nextTryDeadline(state);
  if (tried !== null) times.push(tried);
  return times.length === 0 ? null : Math.min(...times);
}
