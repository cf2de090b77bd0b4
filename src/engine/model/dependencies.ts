import type { Entry } from "./entry.ts";
import type { Standing } from "./line.ts";
import { isValid, type QueueState, remainingAhead } from "./queue.ts";
import { usesLanes } from "./settings.ts";
import { overlap, type Targets } from "./targets.ts";
import type { TestRun } from "./test-run.ts";

/**
 * Whether two entries may influence each other's tests, so that one has to be tested on top of the other: in `single` mode
 * always, in `parallel` mode if they impact a common target.
 */
export function depend(state: QueueState, one: Entry, other: Entry): boolean {
  return !usesLanes(state.settings) || overlap(impacted(one), impacted(other));
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
  const good = goodStandings(state);
  if (!usesLanes(state.settings)) return good.map(({ entry }) => entry.pr);
  const wanted = new Set<number>();
  const own = members.flatMap((pr) => state.entries.get(pr) ?? []);
  // From the back: what a wanted entry stands on is wanted with it, and need not be compared.
  for (const { entry, run } of good.toReversed()) {
    if (wanted.has(entry.pr) || !dependsOnAny(state, entry, own)) continue;
    for (const other of [...(remainingAhead(state, run) ?? []), ...run.members]) wanted.add(other);
  }
  return [...state.line].filter((pr) => wanted.has(pr));
}

type Tested = Standing & { readonly run: TestRun };

/** What of a run's ahead-set is left stands before it in the line: so it is good unless something bad there is in it. */
function goodStandings(state: QueueState): Tested[] {
  const bad: number[] = [];
  const judged = new Map<TestRun, boolean>();
  return state.line.standings.filter((standing): standing is Tested => {
    const { entry, run } = standing;
    const hasFailed = entry.state === "pending_failure" && state.settings.pendingFailureDepth === 0;
    const isDoubted = entry.doubtedAt !== undefined;
    const isGood = run !== null && !hasFailed && !isDoubted && standsWell(run);
    if (!isGood) bad.push(entry.pr);
    return isGood;
  });

  function standsWell(run: TestRun): boolean {
    const known = judged.get(run);
    if (known !== undefined) return known;
    const isWell = isValid(state, run) && !bad.some((pr) => run.ahead.includes(pr));
    judged.set(run, isWell);
    return isWell;
  }
}
