import { type Entry, skipsTheLine } from "../entry.ts";
import { type BaseStep, baseTip, merges, type QueueState } from "../queue.ts";
import { usesLanes } from "../settings.ts";
import { overlap, type Targets } from "../targets.ts";
import type { TestRun } from "../test-run.ts";
import type { LineEntry } from "./line.ts";

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
  const good = goodEntries(state);
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

type Tested = LineEntry & { readonly run: TestRun };

/** The entries that a new run may be built on. One pass is enough, because a run's unmerged predecessors precede it in the line. */
function goodEntries(state: QueueState): Tested[] {
  const bad: number[] = [];
  const judged = new Map<TestRun, boolean>();
  return state.line.entries.filter((lineEntry): lineEntry is Tested => {
    const { entry, run } = lineEntry;
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

/** Whether the queue has recently merged a pull request: while its merge is among the known steps of the base. */

export function hasMerged({ base }: Pick<QueueState, "base">, pr: number): boolean {
  return base.some((step) => step.pr === pr);
}

/** The run by which the queue merged last, while some of its members have yet to merge; null if there is none. */

export function halfMergedRun({ base, entries, runs }: QueueState): TestRun | null {
  const last = base.at(-1)?.pr ?? null;
  if (last === null) return null;
  for (const run of runs.values()) {
    if (run.members.includes(last) && run.members.some((pr) => entries.has(pr))) return run;
  }
  return null;
}

/**
 * Returns the pull requests of the run's ahead-set that have not merged yet, in order. Returns null if the run is invalid: the
 * base is not the run's base plus merges of its ahead-set in order. In `parallel` mode, other merges that the run does not
 * depend on are allowed in between; a merge that it depends on sends its members back.
 */

export function remainingAhead(state: QueueState, run: TestRun): readonly number[] | null {
  if (run.base === baseTip(state)) return run.ahead;
  // An entry that left the queue without a merge has already sent the run's members back.
  if (usesLanes(state.settings)) return run.ahead.filter((pr) => state.entries.has(pr));
  const merged = mergedSince(state, run);
  const tree = treeOf(run);
  const inOrder = merged?.every((step, index) => step.pr !== null && step.pr === tree[index]) ?? false;
  return merged && inOrder ? run.ahead.slice(merged.length) : null;
}

/** Whether the base is still the run's base, plus merges that the run contains. */

export function isValid(state: QueueState, run: TestRun): boolean {
  return usesLanes(state.settings) || remainingAhead(state, run) !== null;
}

/**
 * Whether a predicate holds for all unmerged pull requests of the run's ahead-set; false if the run is invalid. Cheaper than
 * iterating `remainingAhead`, because the ahead-sets of a crowded lane are long.
 */

export function everyAhead(state: QueueState, run: TestRun, test: (pr: number) => boolean): boolean {
  if (!usesLanes(state.settings)) return remainingAhead(state, run)?.every(test) ?? false;
  return run.ahead.every((pr) => test(pr) || !state.entries.has(pr));
}

/** The steps of the base since the SHA that the run was started on; null if that SHA is no longer known. */

export function mergedSince(state: QueueState, run: TestRun): readonly BaseStep[] | null {
  // A rewind can bring back an earlier SHA of the base, so the last occurrence counts.
  const from = state.base.findLastIndex((step) => step.sha === run.base);
  return from < 0 ? null : state.base.slice(from + 1);
}

/** Whether the base has merges since the start of the run that the run does not contain. */

export function isComposed(state: QueueState, run: TestRun): boolean {
  const tree = treeOf(run);
  return mergedSince(state, run)?.some(({ pr }) => pr === null || !tree.includes(pr)) ?? true;
}

/** The pull requests that a run tests, in merge order. If a merge stopped half-way, some of the members may have merged, too. */

export function treeOf({ ahead, members }: TestRun): readonly number[] {
  return [...ahead, ...members];
}

/** Whether an entry's merge may be ordered now. All code that orders a merge must check this. */
export function mayMerge(state: Pick<QueueState, "status" | "next" | "freeze">, entry: Entry): boolean {
  return merges(state) && !isFrozen(state, entry);
}

/** Whether a freeze keeps an entry from merging. */
export function isFrozen({ freeze }: Pick<QueueState, "freeze">, entry: Entry): boolean {
  return freeze !== null && !skipsTheLine(entry);
}

/** Whether the merge of a pull request has been ordered, so that only its outcome may move it. */
export function isBeingMerged(state: QueueState, pr: number): boolean {
  return state.merge?.steps.some((step) => step.pr === pr) ?? false;
}

/** Whether an entry in the line merges only after the freeze, so that an urgent entry may take its place. */
export function mayBeSentBackInFreeze(state: QueueState, entry: Entry): boolean {
  return state.freeze !== null && !skipsTheLine(entry) && !isBeingMerged(state, entry.pr);
}
