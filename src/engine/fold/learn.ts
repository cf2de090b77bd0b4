import { expectedWait, lineExpectation, waitExpectation } from "../forecast/forecast.ts";
import { type Capacity, type Mark, medianOf, type TestSample } from "../model/capacity/history.ts";
import { type Entry, isTerminal } from "../model/entry.ts";
import type { Event, EventOf } from "../model/event.ts";
import { type QueueState, startsTests } from "../model/queue.ts";
import { moveEntry, withEntry } from "./entry-index.ts";
import {
  countVerdict,
  learnFromBaseTest,
  learnFromDelay,
  noteFailing,
  remember,
  testBaseAgain,
} from "./learn-series.ts";

const remembered = 128;
const marksKept = 8;
/** The factor on the weight of old verdicts at each new one. About half of the weight is on the last 70 verdicts. */
const fading = 0.99;

/** Returns `after` with the statistics updated. `before` and `after` are the states before and after the event. */
export function learn(before: QueueState, after: QueueState, event: Event): QueueState {
  switch (event.data.type) {
    case "entry_moved":
      return learnFromMove(before, after, event, event.data);
    case "run_started":
      return learnFromStart(after, event, event.data);
    case "run_concluded":
      return learnFromVerdict(before, countVerdict(after, event, event.data), event, event.data);
    case "failure_doubted":
      return learnDoubt(after, event.data.pr);
    case "entry_delayed":
      return learnFromDelay(after, event, event.data);
    case "base_test_wanted":
      return noteFailing(after, event.data.pr);
    case "base_test_ended":
      return learnFromBaseTest(before, after, event, event.data);
    case "queue_configured":
      return testBaseAgain(after);
    case "queue_status_changed":
      return measureAgain(testBaseAgain(after), event);
    case "freeze_changed":
      return measureAgain(after, event);
    default:
      return after;
  }
}

function learnFromMove(
  before: QueueState,
  after: QueueState,
  { at }: Event,
  move: EventOf<"entry_moved">,
): QueueState {
  const entry = after.entries.get(move.pr);
  if (move.to === "pending" && entry) {
    const wait = expectedWait(after, entry);
    return awaitExit(mark(after, entry, { at, ...wait }), wait.starts > 0 ? at : null);
  }
  const ended = before.entries.get(move.pr);
  if (move.to === "tests_passed" && ended?.doubted && !ended.doubted.forgiven) return learnFlake(after);
  if (!isTerminal(move.to) || move.from === "not_ready" || !ended) return after;
  const exited = learnFromEnding(learnFromExit(after, at), ended, move);
  return move.reason.code === "MERGED_IN_ORDER" ? learnFromMerge(exited, moveEntry(ended, move, at)) : exited;
}

function learnFromEnding(
  after: QueueState,
  { doubted }: Entry,
  { pr, to, reason }: EventOf<"entry_moved">,
): QueueState {
  if (to === "merged") return learnVerdict(after, { rejected: 0 });
  const isFault = reason.code === "CHECKS_FAILED" || reason.code === "TESTING_TIMEOUT";
  if (!isFault) return after;
  // A doubted failure has been counted already.
  return noteFailing(doubted ? after : learnVerdict(after, { rejected: 1 }), pr);
}

/** Counts a doubted failure as a fault until the entry passes, because its next test may be far away. */
function learnDoubt(after: QueueState, pr: number): QueueState {
  return noteFailing(learnVerdict(after, { rejected: 1 }), pr);
}

function learnFlake(after: QueueState): QueueState {
  return remember(after, { rejected: Math.max(0, after.history.rejected - 1) });
}

function learnVerdict(after: QueueState, { rejected }: { readonly rejected: 0 | 1 }): QueueState {
  const { history } = after;
  return remember(after, {
    merged: history.merged * fading + (1 - rejected),
    rejected: history.rejected * fading + rejected,
  });
}

function learnFromExit(after: QueueState, at: number): QueueState {
  const { exitSince, exitMs } = after.history;
  return remember(after, {
    exitMs: exitSince === null ? exitMs : appended(exitMs, at - exitSince),
    exitSince: after.waiting.size > 0 ? at : null,
  });
}

/** Starts the time until the next exit, unless it is already running. */
function awaitExit(state: QueueState, since: number | null): QueueState {
  return state.history.exitSince === null && since !== null ? remember(state, { exitSince: since }) : state;
}

function learnFromMerge(after: QueueState, entry: Entry): QueueState {
  let { lineErrors, waitErrors } = after.history;
  for (const { at, expectedMs, starts } of entry.marks ?? []) {
    const error = (entry.stateChangedAt - at) / Math.max(1, expectedMs);
    if (starts === undefined) lineErrors = appended(lineErrors, error);
    else waitErrors = appended(waitErrors, error);
  }
  return remember(after, { lineErrors, waitErrors });
}

/** The duration of a stop or a freeze says nothing about the future. So all measurements restart when the queue resumes. */
function measureAgain(after: QueueState, { at }: Event): QueueState {
  const stopped = remember(after, { exitSince: null });
  if (!startsTests(after.status) || after.freeze !== null) return stopped;
  const [expect, line] = [waitExpectation(after), lineExpectation(after)];
  const marks = new Map<number, Mark>();
  for (const [ahead, pr] of [...after.line].entries()) marks.set(pr, { at, expectedMs: line(ahead) });
  let place = 0;
  for (const pr of after.waiting.values()) marks.set(pr, { at, ...expect(place++) });
  let next = place > 0 ? awaitExit(stopped, at) : stopped;
  for (const entry of after.entries.values()) {
    const made = marks.get(entry.pr);
    if (entry.marks) next = withEntry(next, { ...entry, marks: made ? [made] : [] });
  }
  return next;
}

function learnFromStart(after: QueueState, { at }: Event, { run }: EventOf<"run_started">): QueueState {
  if (run.kind !== "main") return after;
  const expectedMs = lineExpectation(after)(run.ahead.length);
  let next = after;
  for (const pr of run.members) {
    const entry = next.entries.get(pr);
    if (entry) next = mark(next, entry, { at, expectedMs });
  }
  return next;
}

function learnFromVerdict(
  before: QueueState,
  after: QueueState,
  { at }: Event,
  { runId, verdict, vouchedBy }: EventOf<"run_concluded">,
): QueueState {
  const run = before.runs.get(runId);
  // The verdict of a reopened run has been counted, and its time says nothing about CI.
  if (!run || vouchedBy !== undefined || run.changed?.reopened) return after;
  const { testMs, passed, failed, capacity } = after.history;
  const ms = at - run.startedAt;
  const known = run.atOnce === undefined ? capacity : learnCapacity(capacity, { at, ms, atOnce: run.atOnce });
  if (run.kind !== "main") return remember(after, { capacity: known });
  return remember(after, {
    capacity: known,
    testMs: appended(testMs, ms),
    passed: passed * fading + (verdict === "passed" ? 1 : 0),
    failed: failed * fading + (verdict === "failed" ? 1 : 0),
  });
}

function mark(state: QueueState, entry: Entry, made: Mark): QueueState {
  return withEntry(state, { ...entry, marks: [...(entry.marks ?? []), made].slice(-marksKept) });
}

function appended(samples: readonly number[], sample: number): readonly number[] {
  return [...samples, Math.round(sample * 1000) / 1000].slice(-remembered);
}

const samplesRemembered = 64;

/**
 * The maximum number of samples that are taken during the duration of one test. More samples could all end within a short time, in which
 * long tests are those that started early. In a queue that empties, these also started beside the most other tests, so their duration would
 * look like the effect of a limit.
 */
const samplesPerTest = 16;

/** The limit is measured after this many samples. */
const between = 8;

/** A limit needs at least `fewest` samples, of which `fewestWaiting` waited for at least `leastWait` of a test's duration. */
const fewest = 24;

const fewestWaiting = 8;

const leastWait = 0.5;

/** A limit counts only if its sum of errors is at most this share of the sum without a limit. */
const mostError = 0.85;

/** After this many measurements without a limit, a tenth more tests may run, since CI may have grown. */
const patience = 4;

const growth = 0.1;

/**
 * Adds a sample, and measures the limit from time to time. If CI serves c tests at once, a test that starts as one of n takes n/c times as
 * long. The limit is the c that explains the durations of the last tests best.
 */
export function learnCapacity(known: Capacity, sample: TestSample): Capacity {
  const before = known.samples.at(-1);
  if (before && sample.at - before.at < sample.ms / samplesPerTest) return known;
  const samples = [...known.samples, sample].slice(-samplesRemembered);
  const sinceLook = known.sinceLook + 1;
  if (sinceLook < between) return { ...known, samples, sinceLook };
  const found = measuredLimit(samples);
  if (found !== null) return { samples, limit: found, sinceLook: 0, looksWithout: 0 };
  const looksWithout = known.looksWithout + 1;
  const grows = looksWithout >= patience;
  return {
    samples,
    limit: grows && known.limit !== null ? known.limit + Math.ceil(growth * known.limit) : known.limit,
    sinceLook: 0,
    looksWithout: grows ? 0 : looksWithout,
  };
}

function measuredLimit(samples: readonly TestSample[]): number | null {
  if (samples.length < fewest) return null;
  let [least, limit] = [mostError * errorOf(samples, Number.POSITIVE_INFINITY), null as number | null];
  for (const candidate of new Set(samples.map(({ atOnce }) => atOnce))) {
    const waiting = samples.filter(({ atOnce }) => atOnce >= (1 + leastWait) * candidate);
    if (waiting.length < fewestWaiting) continue;
    const error = errorOf(samples, candidate);
    if (error < least) [least, limit] = [error, candidate];
  }
  return limit;
}

/** The sum of the distances between the logarithms of the actual durations and of the durations expected with this limit. */
function errorOf(samples: readonly TestSample[], limit: number): number {
  const logs = samples.map(({ ms, atOnce }) => Math.log(Math.max(1, ms) / Math.max(1, atOnce / limit)));
  const median = medianOf(logs);
  if (median === null) return 0;
  return logs.reduce((sum, one) => sum + Math.abs(one - median), 0);
}
