import { batchSize } from "../model/batch-size.ts";
import type { Entry } from "../model/entry.ts";
import { type Mark, medianOf } from "../model/history.ts";
import { isFrozen } from "../model/may-merge.ts";
import { merges, type QueueState, remainingAhead, runOf, startsTests } from "../model/queue.ts";
import { effective, usesLanes } from "../model/settings.ts";
import { freeSlots } from "../model/usable-slots.ts";
import { Survival } from "./kaplan-meier.ts";

/** How long until an entry merges, if it does, in milliseconds from now: as likely sooner as later; and nine times in ten sooner. */
export interface Forecast {
  readonly p50: number;
  readonly p90: number;
}

const minute = 60_000;
/** What is thought of a queue that nobody knows: the median of its tests, and how wrong a first guess is. */
const unknownTestMs = 15 * minute;
const unknownErrors: readonly number[] = [0.5, 0.8, 1, 1.5, 3];
/** Fewer samples than this are joined by what is thought. */
const enough = 8;
/** The share of runs that fail, before there are any; weighs as much as ten verdicts. */
const unknownFailing = 0.05;
const unknownVerdicts = 10;
/** However much fails ahead, nobody is expected to be tested again so often. */
const maxRetests = 6;
/** What has only its own merge before it. */
const imminent: Forecast = { p50: 5_000, p90: minute };
/** So far is looked for an entry's place; beyond, it counts as last. */
const lookedAt = 64;

/**
 * When the live entries will merge. What was expected of entries that began to wait, or whose run started, is compared with
 * what came of it: of those that merged fully, of those that live as far as it goes. So the forecast corrects itself, whatever
 * decides what is tested when. Absent: entries that are not ready, and all that a paused queue keeps. O(n log n).
 */
export function forecast(state: QueueState, now: number): ReadonlyMap<number, Forecast> {
  const found = new Map<number, Forecast>();
  if (!merges(state)) return found;
  const errors = errorsOf(state, now);
  for (const pr of state.line) {
    const entry = state.entries.get(pr);
    if (entry) found.set(pr, ofLine(state, entry, errors.line, now));
  }
  if (startsTests(state.status)) forecastWaiting(state, now, errors.waiting, found);
  if (state.freeze !== null) delayFrozen(state, state.freeze.until - now, found);
  return !usesLanes(state.settings) ? inOrder(found) : found;
}

/** What passes during a freeze has only its own merge before it when that ends. */
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
  errors: Survival,
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
    found.set(pr, ofPlace(0, Math.max(0, (state.entries.get(pr)?.retryAt ?? now) - now)));
  }
  for (const pr of state.held.values()) {
    const ahead = (state.entries.get(pr)?.heldBehind ?? []).flatMap((other) => found.get(other) ?? []);
    const own = ofPlace(0);
    const until = (key: keyof Forecast) => Math.max(0, ...ahead.map((one) => one[key])) + own[key];
    found.set(pr, { p50: until("p50"), p90: until("p90") });
  }
}

/** What an entry that begins to wait has to expect, and how many entries have to go first. */
export function expectedWait(
  state: QueueState,
  entry: Entry,
): Pick<Mark, "expectedMs"> & { readonly starts: number } {
  return waitExpectation(state)(placeOf(state, entry));
}

/** What the members of a run that starts have to expect: the tests, and again for whatever fails ahead of them. */
export function lineExpectation({ history }: QueueState): (ahead: number) => number {
  const verdicts = history.passed + history.failed + unknownVerdicts;
  const failing = (history.failed + unknownFailing * unknownVerdicts) / verdicts;
  const testMs = medianOf(history.testMs) ?? unknownTestMs;
  return (ahead) => Math.round(testMs * (1 + Math.min(maxRetests, failing * ahead)));
}

/** What the one at a place among those that wait has to expect: those before it have to go, then its own tests. */
export function waitExpectation(
  state: QueueState,
): (place: number) => { readonly expectedMs: number; readonly starts: number } {
  const { settings, history } = state;
  const size = batchSize(state);
  const slots = effective(settings, "concurrency");
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

function ofLine(state: QueueState, entry: Entry, errors: Survival, now: number): Forecast {
  const run = runOf(state, entry);
  if (entry.state === "tests_passed" && run && remainingAhead(state, run)?.length === 0) return imminent;
  const { at, expectedMs } = lastMark(entry, "line") ?? { at: now, expectedMs: lineExpectation(state)(0) };
  const age = (now - at) / Math.max(1, expectedMs);
  const left = (share: number) => Math.max(0, errors.quantile(share, age) - age) * expectedMs;
  return { p50: left(0.5), p90: left(0.9) };
}

/** How far expectations were off: of what merged, and at least so far of what lives. */
function errorsOf({ history, entries }: QueueState, now: number): { line: Survival; waiting: Survival } {
  const undecided = { line: [] as number[], waiting: [] as number[] };
  for (const entry of entries.values()) {
    for (const stage of ["line", "waiting"] as const) {
      const mark = lastMark(entry, stage);
      if (mark) undecided[stage].push((now - mark.at) / Math.max(1, mark.expectedMs));
    }
  }
  return {
    line: new Survival(withPrior(history.lineErrors), undecided.line),
    waiting: new Survival(withPrior(history.waitErrors), undecided.waiting),
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

/** In one line nobody merges before those ahead. */
function inOrder(found: ReadonlyMap<number, Forecast>): ReadonlyMap<number, Forecast> {
  let [p50, p90] = [0, 0];
  return new Map(
    [...found].map(([pr, one]) => {
      [p50, p90] = [Math.max(p50, one.p50), Math.max(p90, one.p90)];
      return [pr, { p50, p90 }] as const;
    }),
  );
}
