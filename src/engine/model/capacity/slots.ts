import { isBaseTestUrgent } from "../base-test.ts";
import type { QueueState } from "../queue.ts";
import { type QueueSettings, settingInUse, usesLanes } from "../settings.ts";
import { failureRate } from "./history.ts";

/**
 * The maximum number of tests in flight by the known limit of CI: one more than CI runs at once, so that CI never waits for work.
 * Infinite with the policy `fixed`, and while no limit is known.
 */
export function mostServed({ settings, history }: Pick<QueueState, "settings" | "history">): number {
  const { limit } = history.capacity;
  return settings.policy === "fixed" || limit === null ? Number.POSITIVE_INFINITY : limit + 1;
}

/** The maximum number of tests of entries in flight, by the settings and by the known limit of CI. */
export function usableSlots(state: Pick<QueueState, "settings" | "history">): number {
  return Math.min(settingInUse(state.settings, "concurrency"), mostServed(state));
}

export function freeSlots(state: QueueState): number {
  if (testsOneAtATime(state)) return serialSlots(state);
  const { main, bisection } = state.runIndex.active;
  const forBase = slotsKeptForBase(state);
  return Math.min(
    settingInUse(state.settings, "concurrency") - main - forBase,
    mostServed(state) - main - bisection - forBase,
  );
}

/** Returns the slots that are used, of those that one line of tests may use. */
export function slotsInUse(state: QueueState): { readonly used: number; readonly of: number } {
  const of = settingInUse(state.settings, "concurrency");
  return { used: Math.min(of, state.runIndex.active.main + slotsKeptForBase(state)), of };
}

/** The number of slots that entries may not take, because a test of the base needs one at once. */
export function slotsKeptForBase(state: QueueState): number {
  return isBaseTestUrgent(state) ? 1 : 0;
}

/** After this number of cancelled test runs in a row, an entry leaves the queue. */
export const maxCancelledRuns = 3;
/** After this number in a row for one entry, tests run one at a time until it is decided, because they may cancel each other. */
const serialFrom = 2;

/** Whether the entry's tests were cancelled so often in a row that the queue runs one test at a time. */
export function isInterrupted({ cancelledRuns = 0 }: { readonly cancelledRuns?: number }): boolean {
  return cancelledRuns >= serialFrom;
}

/**
 * Whether the queue runs one test at a time. If the workflows of all branches are in one concurrency group, they cancel each other, and
 * only a test that runs alone finishes. While everything fails, one test is enough to find out whether that is over.
 */
export function testsOneAtATime(state: QueueState): boolean {
  return state.interrupted.size > 0 || state.history.redSince !== null;
}

/** The number of free slots for tests of entries while the queue runs one test at a time. */
export function serialSlots(state: QueueState): number {
  const { main, bisection } = state.runIndex.active;
  const isFree = main + bisection === 0 && mostWhileSerial(state) > slotsKeptForBase(state);
  return isFree ? 1 : 0;
}

/** The number of free slots for a test of the base, of either kind; negative if other tests need its slot. */
export function slotsForBaseTest(state: QueueState): number {
  const { settings, runIndex } = state;
  const active = runIndex.active.main + runIndex.active.bisection;
  if (testsOneAtATime(state)) return mostWhileSerial(state) - active;
  const [main, bisection] = [
    settingInUse(settings, "concurrency"),
    settingInUse(settings, "bisectionConcurrency"),
  ];
  // In one line, other tests wait for those of a bisection.
  const most = usesLanes(settings) ? main + bisection : Math.max(main, bisection);
  return Math.min(most, mostServed(state)) - active;
}

/** While everything fails, the base is tested beside an entry, if there are two slots. */
function mostWhileSerial(state: QueueState): number {
  return state.interrupted.size === 0 && usableSlots(state) >= 2 ? 2 : 1;
}

const largest = 12;
/** A batch is formed only if it merges this many times as much as single entries. */
const leastGain = 1.05;
/** The weight of the prior for the failure rate in `single` mode. It is low, because a failed batch stops everything there. */
const weightInLine = 12;
/** In `parallel` mode: the minimum chance that a batch passes with one slot, and the increase for each further slot. */
const leastChance = 0.6;
const leastChancePerSlot = 0.03;
const mostChance = 0.95;

/** The maximum number of entries that a run decides about. */
export function batchSize(state: QueueState): number {
  const { settings } = state;
  if (!settings.batch) return 1;
  return settings.batchSizing === "by_load" ? sizeByLoad(state) : settingInUse(settings, "batchingMinSize");
}

/** The number of entries that a batch waits for before it starts. */
export function leastBatch(settings: QueueSettings): number {
  return settings.batchSizing === "by_load" ? 1 : settingInUse(settings, "batchingMinSize");
}

/** The size grows with the number of waiting entries, and is limited by the risk that the batch fails. */
function sizeByLoad(state: QueueState): number {
  const isLine = !usesLanes(state.settings);
  const wanted = isLine ? shareOfFreeSlot(state) : shareOfLane(state);
  if (wanted <= 1) return 1;
  return Math.max(1, Math.min(wanted, isLine ? bestInLine(state) : bestInLanes(state), largest));
}

/** In `single` mode, the waiting entries are divided among the free slots. */
function shareOfFreeSlot(state: QueueState): number {
  const free = usableSlots(state) - state.runIndex.active.main;
  return Math.ceil(state.waiting.size / Math.max(1, free));
}

function shareOfLane(state: QueueState): number {
  return Math.floor(state.waiting.size / Math.sqrt(usableSlots(state)));
}

function bestInLanes(state: QueueState): number {
  const chance = Math.min(mostChance, leastChance + leastChancePerSlot * (usableSlots(state) - 1));
  return Math.floor(Math.log(chance) / Math.log(1 - failureRate(state.history)));
}

/** The size with the highest throughput, if each slot tests a batch on top of the previous one. */
function bestInLine(state: QueueState): number {
  const passing = 1 - failureRate(state.history, weightInLine);
  const slots = usableSlots(state);
  const probes = settingInUse(state.settings, "bisectionConcurrency");
  let best = 1;
  let most = mergedPerTest(passing, 1, slots, probes) * leastGain;
  for (let size = 2; size <= largest; size++) {
    const merged = mergedPerTest(passing, size, slots, probes);
    if (merged > most) [best, most] = [size, merged];
  }
  return best;
}

/**
 * The expected number of entries that merge during one test. A failed batch waits until nothing is ahead of it, and is then bisected with
 * `probes` tests at once. Meanwhile no other test runs. After that, the entries ahead of the culprit merge.
 */
function mergedPerTest(passing: number, size: number, slots: number, probes: number): number {
  let merged = 0;
  for (let place = 1; place <= slots; place++) merged += size * passing ** (size * place);
  if (size === 1) return merged;
  const failing = 1 - passing ** (size * slots);
  const rounds = Math.log(size) / Math.log(probes + 1) + (slots > 1 ? 1 : 0);
  return (merged + failing * beforeCulprit(passing, size)) / (1 + failing * rounds);
}

/** The expected number of entries ahead of the first culprit in a failed batch. */
function beforeCulprit(passing: number, size: number): number {
  let ahead = 0;
  for (let length = 1; length < size; length++) ahead += passing ** length - passing ** size;
  return ahead / (1 - passing ** size);
}
