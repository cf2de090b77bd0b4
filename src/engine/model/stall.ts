import { type History, longOf, medianOf } from "./capacity/history.ts";
import { lastingErrorOf } from "./entry.ts";
import type { Event, EventData } from "./event.ts";
import type { Lull, Wait } from "./order/delay.ts";
import { merges, type QueueState, startsTests } from "./queue.ts";
import { type QueueSettings, settingInUse } from "./settings.ts";
import { isActive } from "./test-run.ts";

const minute = 60_000;
/** The number of tests that may follow each other without a merge, and the maximum number of further tests that setbacks allow. */
const allowedTests = 2;
const mostSetbacks = 6;
/** With fewer known durations than this, a test is assumed to take up to half an hour. */
const enough = 20;
const unknownTestMs = 30 * minute;
/** Short tests are not the only delay: GitHub computes, and webhooks are lost. */
const leastMs = 10 * minute;
/** The time within which a passed entry merges. */
const mergingMs = 2 * minute;
/** An error of our own that lasts for so long does not pass by itself. */
const lastingMs = 5 * minute;

/** Whether entries wait that the queue could merge. In a paused or frozen queue, another text already says why nothing merges. */
export function couldMerge(state: QueueState): boolean {
  if (state.deleted || state.freeze !== null || !merges(state)) return false;
  if (!startsTests(state.status)) return state.line.length > 0;
  return state.entries.size > state.unready.size;
}

/**
 * Whether GitHub does not answer, so that the queue cannot continue. `GITHUB_BUSY` does not count: if it lasts for long, there is a fault.
 */
export function isAway({ code }: Wait): boolean {
  return code === "GITHUB_UNAVAILABLE" || code === "GITHUB_LIMITS_US";
}

/** Returns when a stall is noticed, in milliseconds since the epoch; null = never, or it is noticed already. */
export function stallTime(state: QueueState): number | null {
  const { lull, stall } = state;
  if (lull === null || stall !== null) return null;
  const brokenSince = stuckEntry(state) === null ? ownErrorSince(state) : lull.since;
  const patient = lull.since + patienceMs(state, lull);
  const due = brokenSince === null ? patient : Math.min(patient, brokenSince + lastingMs);
  const first = state.line.entries[0]?.entry;
  return first?.state === "tests_passed" ? Math.max(due, first.stateChangedAt + mergingMs) : due;
}

/** The pull request that keeps the queue from merging; null = there is none. */
export function blockerOf(state: QueueState): number | null {
  const [first] = state.line;
  const { direct, waiting, held, delayed } = state;
  const indexes = [direct, waiting, held, delayed];
  return stuckEntry(state) ?? first ?? indexes.find(({ size }) => size > 0)?.first() ?? null;
}

/** The entry whose test commit cannot be built because of a lasting error, if nothing else is in the line; null = there is none. */
export function stuckEntry({ line, delayed, entries }: QueueState): number | null {
  const lasts = (pr: number) => {
    const entry = entries.get(pr);
    return entry !== undefined && lastingErrorOf(entry) !== null;
  };
  const [first] = line;
  if (first !== undefined) return line.entries.every(({ entry }) => lasts(entry.pr)) ? first : null;
  const next = delayed.first();
  return next !== undefined && lasts(next) ? next : null;
}

/** Since when an error of our own keeps ordered work from being done; null = none does. */
function ownErrorSince({ waits, merge, runs }: QueueState): number | null {
  if (merge && waits.merge?.code === "INTERNAL_ERROR") return merge.startedAt;
  if (waits.build?.code !== "INTERNAL_ERROR") return null;
  return [...runs.values()].find(({ state }) => state === "building")?.startedAt ?? null;
}

function patienceMs({ history, settings }: QueueState, { setbacks, waitedMs }: Lull): number {
  const tests = allowedTests + Math.min(setbacks, mostSetbacks);
  return Math.max(leastMs, tests * longTestMs(history)) + batchMs(settings) + waitedMs;
}

/** The limit of the 95th percentile over the median. Above it, most tests are skipped because of the changed paths, and the median says nothing. */
const mostSpread = 6;

/**
 * The duration of a long test, the 95th percentile; a test of twice this duration takes too long. If the 95th percentile is more than 1.6
 * times the median, one test in hundreds takes longer than that. With a log-normal distribution, one in 2,000 takes longer than `p95² /
 * p50`. A quarter is added, because long tests are often discarded before they end, and are missing from the history.
 */
function longTestMs({ testMs }: History): number {
  const median = medianOf(testMs) ?? 0;
  const long = longOf(testMs);
  const varied = (1.25 / 2) * long * Math.min(long / Math.max(1, median), mostSpread);
  return Math.max(long, varied, testMs.length < enough ? unknownTestMs : 0);
}

/** How long an entry waits for others to be tested with. */
function batchMs(settings: QueueSettings): number {
  const waits = settings.batch && settings.batchSizing === "minimum";
  return waits ? settingInUse(settings, "batchingMaxWaitTimeMinutes") * minute : 0;
}

/** The time without a merge after an event. `before` and `after` are the states before and after the event. */
export function lullAfter(before: QueueState, after: QueueState, { at, data }: Event): Lull | null {
  const { lull } = before;
  if (!couldMerge(after)) return null;
  if (lull === null || isProgress(before, data)) return { since: at, setbacks: 0, waitedMs: 0 };
  if (data.type === "work_postponed" && isAway(data.wait))
    return { ...lull, waitedMs: lull.waitedMs + Math.max(0, data.wait.until - at) };
  return isSetback(before, data) ? { ...lull, setbacks: lull.setbacks + 1 } : lull;
}

/** A push to the base by somebody else is no progress: the queue may never merge anything between two of them. */
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
  // A move of the base counts by itself, so the runs that are discarded because of it do not.
  const counts = data.type === "run_retried" || data.reason.code !== "BASE_MOVED";
  return counts && isActive(run);
}
