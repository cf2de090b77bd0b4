import { offTheLine, update } from "../../fold/line-places.ts";
import type { Entry } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import { isActive } from "../../model/test-run.ts";

/** Policy `adaptive`: stands on another run under way that decides about it; without one, in the line no more. */
export function onItsNextRun(state: QueueState, { pr, runId }: Entry): QueueState {
  const next = otherRunOf(state, pr);
  if (next === null) return offTheLine(state, pr);
  return next === runId ? state : update(state, pr, { runId: next });
}

/** Another run under way that decides about it: always the same one, in whatever order they are kept. */
function otherRunOf({ runs }: QueueState, pr: number): string | null {
  let found: string | null = null;
  for (const run of runs.values()) {
    if (isActive(run) && run.members.includes(pr) && (found === null || run.id < found)) found = run.id;
  }
  return found;
}
