import { medianOf } from "../../model/capacity/history.ts";
import { mostServed, serialSlots, slotsKeptForBase, testsOneAtATime } from "../../model/capacity/slots.ts";
import type { QueueState } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";

/** The numbers of runs that may start. */
export interface Slots {
  /** For runs of any kind. */
  readonly main: number;
  /** For tests that find the culprit. These take main slots, too, when their own are all in use. */
  readonly retest: number;
  /** Of both kinds together. */
  readonly any: number;
  /** How many tests may run at once. */
  readonly all: number;
}

/** This share of the slots is kept free of hedges. */
const reserve = 0.05;

/** @param mostTests the maximum number of tests at once by the settings */
export function freeSlots(state: QueueState, mostTests: number): Slots {
  if (testsOneAtATime(state)) {
    const free = serialSlots(state);
    return { main: free, retest: 0, any: free, all: 1 };
  }
  const all = Math.min(mostTests, mostServed(state));
  const { active } = state.runIndex;
  const left = Math.max(0, all - active.main - active.bisection - slotsKeptForBase(state));
  const free = (slots: number, used: number) => Math.min(left, Math.max(0, slots - used));
  const main = free(settingInUse(state.settings, "concurrency"), active.main);
  const retest = free(settingInUse(state.settings, "bisectionConcurrency"), active.bisection);
  return { main, retest, any: Math.min(left, main + retest), all };
}

/** Returns the slots that limit the main runs at present: all slots if none of them is free, otherwise the main slots. */
export function slotsInUse(
  state: QueueState,
  mostTests: number,
): { readonly used: number; readonly of: number } {
  const { main, bisection } = state.runIndex.active;
  const all = Math.min(mostTests, mostServed(state));
  const active = main + bisection + slotsKeptForBase(state);
  return active >= all
    ? { used: active, of: all }
    : { used: main, of: settingInUse(state.settings, "concurrency") };
}

export function isScarce({ any, all }: Slots): boolean {
  return any < reserve * all;
}

/** Returns how many hedges may start. */
export function idleSlots({ main, all }: Slots): number {
  return Math.max(0, Math.ceil(main - reserve * all));
}

/** The pace as a share of the median test time. */
const share = 0.12;
/** A lower bound, for tests that take no time. Without it, a test that fails because of known flakes is repeated without end. */
const leastMs = 1_000;
/** The pace while the test time is unknown: the one for tests of 25 minutes. */
const unknownMs = 3 * 60_000;

/**
 * Returns the minimum time between two blocks, and from the last discarded hedge to the next one, in milliseconds. It scales with the test
 * time.
 */
export function paceMs({ history }: QueueState): number {
  const testMs = medianOf(history.testMs);
  return testMs === null ? unknownMs : Math.max(leastMs, Math.round(share * testMs));
}
