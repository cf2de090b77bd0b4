import { type Mark, medianOf } from "../model/capacity/history.ts";
import { batchSize, freeSlots } from "../model/capacity/slots.ts";

import { type Entry, lastingErrorOf } from "../model/entry.ts";
import { isFrozen, remainingAhead } from "../model/order/dependencies.ts";

import { merges, type QueueState, runOf, startsTests } from "../model/queue.ts";
import { settingInUse, usesLanes } from "../model/settings.ts";
import { stuckEntry } from "../model/stall.ts";
import { KaplanMeierEstimate } from "./kaplan-meier.ts";

/** The time until an entry merges, if it does, in milliseconds from now: the median and the 90th percentile. */
export interface Forecast {
  readonly p50: number;
  readonly p90: number;
}

const minute = 60_000;
/** The prior for a new queue: the median duration of its tests, and the ratios of actual to expected times. */
const unknownTestMs = 15 * minute;
const unknownErrors: readonly number[] = [0.5, 0.8, 1, 1.5, 3];
/** If there are fewer samples than this, the prior is added to them. */
const enough = 8;
/** The prior for the share of runs that fail. It counts as ten verdicts. */
const unknownFailing = 0.05;
const unknownVerdicts = 10;
/** The maximum number of expected retests of an entry, however many entries ahead may fail. */
const maxRetests = 6;
/** The forecast for an entry that waits only for its own merge. */
const imminent: Forecast = { p50: 5_000, p90: minute };
/** An entry's place is searched up to this number; beyond it, the entry counts as the last one. */
const lookedAt = 64;

/**
 * Forecasts when the live entries will merge. The times that were expected when an entry began to wait, or when its run started,
 * are compared with the actual times: in full for merged entries, as lower bounds for live ones. So the forecast corrects itself,
 * regardless of the policy. Absent: entries that are not ready, or that a lasting error keeps from being tested; entries outside the
 * line while no test may start; all entries while the queue does not merge, or nobody knows when it will (a stall). O(n log n).
 */
export function forecast(state: QueueState, now: number): ReadonlyMap<number, Forecast> {
  const found = new Map<number, Forecast>();
  if (!merges(state) || state.stall !== null || stuckEntry(state) !== null) return found;
  const errors = errorsOf(state, now);
  for (const pr of state.line) {
    const entry = state.entries.get(pr);
    if (entry && !lastsAt(state, pr)) found.set(pr, ofLine(state, entry, errors.line, now));
  }
  if (startsTests(state.status)) forecastWaiting(state, now, errors.waiting, found);
  if (state.freeze !== null) delayFrozen(state, state.freeze.until - now, found);
  return !usesLanes(state.settings) ? inOrder(found) : found;
}

function lastsAt({ entries }: QueueState, pr: number): boolean {
  const entry = entries.get(pr);
  return entry !== undefined && lastingErrorOf(entry) !== null;
}

/** An entry that passes during a freeze waits only for its own merge when the freeze ends. */
function delayFrozen(state: QueueState, leftMs: number, found: Map<number, Forecast>): void {
  for (const [pr, { p50, p90 }] of found) {
    const entry = state.entries.get(pr);
    if (!entry || !isFrozen(state, entry)) continue;
    found.set(pr, { p50: Math.max(p50, leftMs + imminent.p50), p90: Math.max(p90, leftMs + imminent.p90) });
  }
}

function forecastWaiting(
  state: QueueState,
  now: number,
  errors: KaplanMeierEstimate,
  found: Map<number, Forecast>,
): void {
  const expect = waitExpectation(state);
  const [p50, p90] = [errors.quantile(0.5), errors.quantile(0.9)];
  const ofPlace = (place: number, delayMs = 0): Forecast => {
    const { expectedMs } = expect(place);
    return { p50: expectedMs * p50 + delayMs, p90: expectedMs * p90 + delayMs };
  };
  let place = 0;
  for (const pr of state.direct.values()) found.set(pr, imminent);
  for (const pr of state.waiting.values()) found.set(pr, ofPlace(place++));
  for (const pr of state.delayed.values()) {
    if (lastsAt(state, pr)) continue;
    found.set(pr, ofPlace(0, Math.max(0, (state.entries.get(pr)?.retryAt ?? now) - now)));
  }
  for (const pr of state.held.values()) {
    const ahead = (state.entries.get(pr)?.heldBehind ?? []).flatMap((other) => found.get(other) ?? []);
    const own = ofPlace(0);
    const until = (key: keyof Forecast) => Math.max(0, ...ahead.map((one) => one[key])) + own[key];
    found.set(pr, { p50: until("p50"), p90: until("p90") });
  }
}

/** For an entry that begins to wait: the expected time until its merge, and the number of entries that have to end first. */
export function expectedWait(
  state: QueueState,
  entry: Entry,
): Pick<Mark, "expectedMs"> & { readonly starts: number } {
  return waitExpectation(state)(placeOf(state, entry));
}

/** The expected time until the members of a starting run merge: one test, plus a retest for each expected failure ahead of them. */
export function lineExpectation({ history }: QueueState): (ahead: number) => number {
  const verdicts = history.passed + history.failed + unknownVerdicts;
  const failing = (history.failed + unknownFailing * unknownVerdicts) / verdicts;
  const testMs = medianOf(history.testMs) ?? unknownTestMs;
  return (ahead) => Math.round(testMs * (1 + Math.min(maxRetests, failing * ahead)));
}

/** The expected time until the waiting entry at a place merges: first the entries before it have to end, then its own tests run. */
export function waitExpectation(
  state: QueueState,
): (place: number) => { readonly expectedMs: number; readonly starts: number } {
  const { settings, history } = state;
  const size = batchSize(state);
  const slots = settingInUse(settings, "concurrency");
  const free = Math.max(0, freeSlots(state)) * size;
  const line = lineExpectation(state);
  const known = history.exitMs.length === 0 ? null : mean(history.exitMs);
  return (place) => {
    const starts = Math.max(0, place + 1 - free);
    const ahead = !usesLanes(settings) ? Math.min(state.line.length + place, slots * size - 1) : 0;
    const lineMs = line(ahead);
    const exitMs = known ?? lineMs / (slots * size);
    return { expectedMs: Math.round(starts * exitMs + lineMs), starts };
  };
}

function placeOf(state: QueueState, entry: Entry): number {
  let place = 0;
  for (const pr of state.waiting.values()) {
    if (pr === entry.pr) return place;
    if (++place >= lookedAt) break;
  }
  return state.waiting.size;
}

function ofLine(state: QueueState, entry: Entry, errors: KaplanMeierEstimate, now: number): Forecast {
  const run = runOf(state, entry);
  if (entry.state === "tests_passed" && run && remainingAhead(state, run)?.length === 0) return imminent;
  const { at, expectedMs } = lastMark(entry, "line") ?? { at: now, expectedMs: lineExpectation(state)(0) };
  const age = (now - at) / Math.max(1, expectedMs);
  const left = (share: number) => Math.max(0, errors.quantile(share, age) - age) * expectedMs;
  return { p50: left(0.5), p90: left(0.9) };
}

/** The distributions of actual to expected times: exact values of merged entries, and lower bounds of live ones. */
function errorsOf(
  { history, entries }: QueueState,
  now: number,
): { line: KaplanMeierEstimate; waiting: KaplanMeierEstimate } {
  const undecided = { line: [] as number[], waiting: [] as number[] };
  for (const entry of entries.values()) {
    for (const stage of ["line", "waiting"] as const) {
      const mark = lastMark(entry, stage);
      if (mark) undecided[stage].push((now - mark.at) / Math.max(1, mark.expectedMs));
    }
  }
  return {
    line: new KaplanMeierEstimate(withPrior(history.lineErrors), undecided.line),
    waiting: new KaplanMeierEstimate(withPrior(history.waitErrors), undecided.waiting),
  };
}

function lastMark(entry: Entry, stage: "line" | "waiting"): Mark | undefined {
  return entry.marks?.findLast(({ starts }) => (starts === undefined) === (stage === "line"));
}

function withPrior(samples: readonly number[]): readonly number[] {
  return samples.length >= enough ? samples : [...samples, ...unknownErrors];
}

function mean(samples: readonly number[]): number {
  return samples.reduce((sum, one) => sum + one, 0) / samples.length;
}

/** In `single` mode, no entry merges before the entries ahead of it. */
function inOrder(found: ReadonlyMap<number, Forecast>): ReadonlyMap<number, Forecast> {
  let [p50, p90] = [0, 0];
  return new Map(
    [...found].map(([pr, one]) => {
      [p50, p90] = [Math.max(p50, one.p50), Math.max(p90, one.p90)];
      return [pr, { p50, p90 }] as const;
    }),
  );
}
