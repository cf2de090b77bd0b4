import type { Entry } from "./entry.ts";
import { type QueueState, remainingAhead, runOf } from "./queue.ts";
import { overlap, type Targets } from "./targets.ts";

/**
 * Whether two entries may influence each other's tests, so that one has to be tested on top of the other: in `single` mode
 * always, in `parallel` mode if they impact a common target.
 */
export function depend(state: QueueState, one: Entry, other: Entry): boolean {
  return state.settings.mode === "single" || overlap(impacted(one), impacted(other));
}

/** An entry that came into the mode without targets is taken to impact everything. */
function impacted({ targets }: Entry): Targets {
  return targets ?? "ALL";
}

export function dependsOnAny(state: QueueState, entry: Entry, others: readonly Entry[]): boolean {
  return others.some((other) => depend(state, entry, other));
}

/**
 * What of the line a new run has to contain, in order: what its members depend on and what that stands on, without entries
 * whose tests failed and without what stands on those. While the queue waits for successors of a failed entry, these
 * have to contain it.
 */
export function goodAhead(state: QueueState, members: readonly number[]): number[] {
  const good = new Set<number>();
  for (const pr of state.line) {
    const entry = state.entries.get(pr);
    const run = entry && runOf(state, entry);
    if (!run || (entry.state === "pending_failure" && state.settings.pendingFailureDepth === 0)) continue;
    if (remainingAhead(state, run)?.every((other) => good.has(other))) good.add(pr);
  }
  if (state.settings.mode === "single") return [...good];
  const wanted = new Set<number>();
  const own = members.flatMap((pr) => state.entries.get(pr) ?? []);
  for (const pr of good) {
    const entry = state.entries.get(pr);
    const run = entry && runOf(state, entry);
    if (!run || !dependsOnAny(state, entry, own)) continue;
    for (const other of [...(remainingAhead(state, run) ?? []), ...run.members]) wanted.add(other);
  }
  return state.line.filter((pr) => wanted.has(pr));
}
