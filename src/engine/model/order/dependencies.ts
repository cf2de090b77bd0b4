import type { Entry } from "../entry.ts";
import { isValid, type QueueState, remainingAhead } from "../queue.ts";
import { usesLanes } from "../settings.ts";
import { overlap, type Targets } from "../targets.ts";
import type { TestRun } from "../test-run.ts";
import type { Standing } from "./line.ts";

/**
 * Whether two entries may influence each other's tests, so that one has to be tested on top of the other. In `single` mode
 * they always may; in `parallel` mode if they impact a common target.
 */
export function depend(state: QueueState, one: Entry, other: Entry): boolean {
  return !usesLanes(state.settings) || overlap(impacted(one), impacted(other));
}

/** An entry that has no targets when the queue switches to `parallel` mode is assumed to impact everything. */
function impacted({ targets }: Entry): Targets {
  return targets ?? "ALL";
}

export function dependsOnAny(state: QueueState, entry: Entry, others: readonly Entry[]): boolean {
  return others.some((other) => depend(state, entry, other));
}

/**
 * Returns the pull requests in the line that a new run has to contain, in order: the dependencies of its members, and the
 * pull requests that those were tested with. Excludes entries whose tests failed or are in doubt, and entries that were
 * tested on top of those. Exception: if the queue waits for successors of a failed entry, these have to contain that entry.
 */
export function goodAhead(state: QueueState, members: readonly number[]): number[] {
  const good = goodStandings(state);
  if (!usesLanes(state.settings)) return good.map(({ entry }) => entry.pr);
  const wanted = new Set<number>();
  const own = members.flatMap((pr) => state.entries.get(pr) ?? []);
  // From the back: everything that a wanted entry was tested on is wanted too, and need not be compared.
  for (const { entry, run } of good.toReversed()) {
    if (wanted.has(entry.pr) || !dependsOnAny(state, entry, own)) continue;
    for (const other of [...(remainingAhead(state, run) ?? []), ...run.members]) wanted.add(other);
  }
  return [...state.line].filter((pr) => wanted.has(pr));
}

type Tested = Standing & { readonly run: TestRun };

/** The entries that a new run may be built on. One pass is enough, because a run's unmerged predecessors precede it in the line. */
function goodStandings(state: QueueState): Tested[] {
  const bad: number[] = [];
  const judged = new Map<TestRun, boolean>();
  return state.line.standings.filter((standing): standing is Tested => {
    const { entry, run } = standing;
    const hasFailed = entry.state === "pending_failure" && state.settings.pendingFailureDepth === 0;
    const isDoubted = entry.doubted !== undefined;
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
