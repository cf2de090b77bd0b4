import { lastingErrorOf } from "../model/entry.ts";
import type { Event, EventData } from "../model/event.ts";
import type { QueueState } from "../model/queue.ts";
import { couldMerge, isAway, type Lull } from "../model/stall.ts";
import { isActive } from "../model/test-run.ts";

/** The time without a merge after an event. `before` and `after` are the states before and after the event. */
export function lullAfter(before: QueueState, after: QueueState, { at, data }: Event): Lull | null {
  const { lull } = before;
  if (!couldMerge(after)) return null;
  if (lull === null || isProgress(before, data)) return { since: at, setbacks: 0, waitedMs: 0 };
  if (data.type === "work_postponed" && isAway(data.wait))
    return { ...lull, waitedMs: lull.waitedMs + Math.max(0, data.wait.until - at) };
  return isSetback(before, data) ? { ...lull, setbacks: lull.setbacks + 1 } : lull;
}

/** A push by somebody else is none: the queue may never merge anything between two of them. */
function isProgress({ entries }: QueueState, data: EventData): boolean {
  if (data.type === "base_moved") return data.pr !== null;
  const entry = data.type === "entry_moved" && data.to === "testing" ? entries.get(data.pr) : undefined;
  return entry !== undefined && lastingErrorOf(entry) !== null;
}

/** Whether something has to be tested once more before something can merge. */
function isSetback({ runs, entries }: QueueState, data: EventData): boolean {
  if (data.type === "base_moved") return data.pr === null;
  if (data.type !== "run_concluded" && data.type !== "run_discarded" && data.type !== "run_retried")
    return false;
  const run = runs.get(data.runId);
  if (!run || run.ahead.some((pr) => entries.has(pr))) return false;
  if (data.type === "run_concluded") return data.verdict === "failed" || run.kind === "bisection";
  // A move of the base is counted itself.
  const counts = data.type === "run_retried" || data.reason.code !== "BASE_MOVED";
  return counts && isActive(run);
}
