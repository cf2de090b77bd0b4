import { offTheLine, update } from "../../fold/line-places.ts";
import type { Entry } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import { isActive } from "../../model/test-run.ts";

/** Policy `adaptive`: assigns an entry to an active run that decides about it. Without one, the entry leaves the line. */
export function onItsNextRun(state: QueueState, { pr, runId }: Entry): QueueState {
  const next = otherRunOf(state, pr);
  if (next === null) return offTheLine(state, pr);
  return next === runId ? state : update(state, pr, { runId: next });
}

/** Returns the active run with the smallest id that decides about an entry, so that the result does not depend on the order of runs. */
function otherRunOf({ runs }: QueueState, pr: number): string | null {
  let found: string | null = null;
  for (const run of runs.values()) {
    if (isActive(run) && run.members.includes(pr) && (found === null || run.id < found)) found = run.id;
  }
  return found;
}
