/** A job's run in which a test failed, at least at its first attempt. */
export interface FailedRun {
  /** The number of the test under its newest name. */
  readonly sk: number;
  readonly upload: number;
  readonly at: number;
  /** The test's last attempt failed too, and was not forgiven. */
  readonly isCounted: boolean;
  /** The pull request that was tested; null = none, or not known. */
  readonly pr: number | null;
  /** It ran on a test branch of the queue. */
  readonly isInQueue: boolean;
  /** The next run of the same job on the same tree; null = there is none. */
  readonly next: { readonly upload: number; readonly at: number } | null;
  /** The duration of all tests of the run; null = not known. */
  readonly testsMs: number | null;
  /** The test run of the queue that the job belongs to, and how long that took. Null: none, or it goes on. */
  readonly testRun: { readonly id: string; readonly ms: number } | null;
}

/** What the failures of a test, or of tests with one cause, cost in seven days. */
export interface TestCost {
  /** The pull requests that an unforgiven failure made fail, in the queue or before. */
  readonly pullRequests: ReadonlySet<number>;
  /** The time from the failures until the same job ran without one on the same tree. Failures without such a run are not counted. */
  readonly heldUpMs: number;
  /** How long the queue's test runs took in which they failed unforgiven. Null: there is none. */
  readonly queueMs: number | null;
  /**
   * The duration of all tests in unforgiven runs outside the queue that were repeated on the same tree, where it is known; null = nowhere.
   * The job took another time: tests may run in parallel, and a job does more than that.
   */
  readonly outsideMs: number | null;
  readonly failedRuns: number;
  readonly failedRunsBefore: number;
  /** The failed runs of each of the last 14 times 24 hours, oldest first. */
  readonly byDay: readonly number[];
}

const dayMs = 86_400_000;
const days = 14;
/** Older failures do not count as a cost. */
export const costWindow = days * dayMs;

/** @param runs of one test or of several, newest first; none older than `costWindow` */
export function costOf(runs: readonly FailedRun[], now: number): TestCost {
  const byDay = Array.from({ length: days }, () => 0);
  const counted = new Map<number, FailedRun>();
  const pullRequests = new Set<number>();
  const seen = new Set<number>();
  for (const run of runs) {
    const daysAgo = Math.min(days - 1, Math.max(0, Math.floor((now - run.at) / dayMs)));
    if (!seen.has(run.upload)) byDay[days - 1 - daysAgo] = (byDay[days - 1 - daysAgo] ?? 0) + 1;
    seen.add(run.upload);
    if (!run.isCounted || daysAgo >= 7) continue;
    counted.set(run.upload, run);
    if (run.pr !== null) pullRequests.add(run.pr);
  }
  const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0);
  return {
    ...{ pullRequests, byDay, heldUpMs: heldUpMs(counted) },
    ...{ queueMs: queueMs(counted), outsideMs: outsideMs(counted) },
    failedRuns: sum(byDay.slice(7)),
    failedRunsBefore: sum(byDay.slice(0, 7)),
  };
}

/** Failures in a row on one tree block it once, from the first failure on. */
function heldUpMs(counted: ReadonlyMap<number, FailedRun>): number {
  const repeats = new Set([...counted.values()].map(({ next }) => next?.upload));
  let total = 0;
  for (const first of counted.values()) {
    if (repeats.has(first.upload) || first.pr === null) continue;
    let next = first.next;
    for (let again = next && counted.get(next.upload); again; again = next && counted.get(next.upload))
      next = again.next;
    if (next) total += next.at - first.at;
  }
  return total;
}

/** A job of the queue is part of a test run, which counts as a whole. */
function outsideMs(counted: ReadonlyMap<number, FailedRun>): number | null {
  const repeated = [...counted.values()].filter(({ next, isInQueue }) => next && !isInQueue);
  return sumOf(repeated.flatMap(({ testsMs }) => testsMs ?? []));
}

/** A run counts once, in however many of its jobs they failed. */
function queueMs(counted: ReadonlyMap<number, FailedRun>): number | null {
  const runs = [...counted.values()].flatMap(({ testRun }) => testRun ?? []);
  return sumOf([...new Map(runs.map(({ id, ms }) => [id, ms])).values()]);
}

function sumOf(known: readonly number[]): number | null {
  return known.length === 0 ? null : known.reduce((total, ms) => total + ms, 0);
}

/** Most pull requests first, then the longest blocked time, then the most failed runs. */
export function compareCosts(a: TestCost, b: TestCost): number {
  return (
    b.pullRequests.size - a.pullRequests.size ||
    b.heldUpMs - a.heldUpMs ||
    b.failedRuns - a.failedRuns ||
    b.failedRunsBefore - a.failedRunsBefore
  );
}
