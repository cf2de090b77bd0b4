import type { EventData } from "../../../../src/engine/model/event.ts";
import type { QueueState } from "../../../../src/engine/model/queue.ts";
import { isActive } from "../../../../src/engine/model/test-run.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";

/** Checks that only urgent pull requests are ordered to merge during a freeze. */
export function checkFreeze(violations: Violations, before: QueueState, data: EventData, at: number): void {
  const { freeze, entries } = before;
  if (data.type !== "merge_started" || freeze === null || freeze.until <= at) return;
  for (const { pr } of data.attempt.steps) {
    if (entries.get(pr)?.priority.value !== 0)
      violations.add("I22", `the merge of #${pr} was ordered in a freeze`);
  }
}

export function isFreezeOver({ freeze, deleted }: QueueState, now: number): boolean {
  return freeze !== null && !deleted && freeze.until <= now;
}

/**
 * Returns an urgent entry that waits only for the end of the freeze, although nothing else is left to do before the deadline;
 * null = there is none.
 */
export function findUrgentFrozen(
  { freeze, status, entries, runs }: QueueState,
  deadline: number,
): number | null {
  if (freeze?.until !== deadline || status !== "running" || [...runs.values()].some(isActive)) return null;
  const urgent = [...entries.values()].find(
    ({ priority, state, heldBehind, retryAt }) =>
      priority.value === 0 && state !== "not_ready" && heldBehind.length === 0 && retryAt === null,
  );
  return urgent?.pr ?? null;
}
