import type { QueueState } from "./queue.ts";
import { readinessTimeoutMs } from "./settings.ts";

/** When the passing of time next changes something, in milliseconds since the epoch; null = never. */
export function nextDeadline(state: QueueState): number | null {
  const times: number[] = [];
  const unready = state.unready.first();
  if (unready !== undefined) times.push((state.entries.get(unready)?.submittedAt ?? 0) + readinessTimeoutMs);
  const delayed = state.delayed.first();
  if (delayed !== undefined) times.push(state.entries.get(delayed)?.retryAt ?? 0);
  for (const run of state.runs.values()) {
    if (run.state === "running" && run.deadline !== null) times.push(run.deadline);
  }
  return times.length === 0 ? null : Math.min(...times);
}
