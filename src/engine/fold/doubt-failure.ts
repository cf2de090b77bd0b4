import { usualTestMs } from "../model/capacity/history.ts";
import { type QueueState, requireEntry, runOf } from "../model/queue.ts";
import { passesBefore } from "../model/test-run.ts";
import { withEntry } from "./entry-index.ts";

/** A doubted entry is tested again behind everything that is submitted within this number of test durations, unless a slot is idle. */
const testsBefore = 30;

/** Notes the failure of an entry that is tested once more. `at` is when it was doubted, in milliseconds since the epoch. */
export function doubtFailure(state: QueueState, pr: number, at: number): QueueState {
  const { aged: _, ...entry } = requireEntry(state, pr);
  const run = runOf(state, entry);
  const behind = at + testsBefore * usualTestMs(state.history);
  return withEntry(state, {
    ...entry,
    doubted: { failure: entry.reason, behind, ...(run ? { passesBefore: passesBefore(run) } : {}) },
    doubts: (entry.doubts ?? 0) + 1,
  });
}
