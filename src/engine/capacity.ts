import type { QueueState } from "./queue.ts";
import { effective } from "./settings.ts";

/** One test: when it ended, how long it took, and how many were under way when it started, itself included. Times are milliseconds. */
export interface TestSample {
  readonly at: number;
  readonly ms: number;
  readonly atOnce: number;
}

/** What a queue knows of how many tests CI serves at once. */
export interface Capacity {
  /** The last tests, oldest first. */
  readonly samples: readonly TestSample[];
  /** Null = no limit has been seen. */
  readonly limit: number | null;
  /** Tests since the limit was last looked for. */
  readonly sinceLook: number;
  /** Looks in a row that found no limit. */
  readonly looksWithout: number;
}

export const unknownCapacity: Capacity = { samples: [], limit: null, sinceLook: 0, looksWithout: 0 };

const remembered = 64;
/**
 * In the time of one test, this many are remembered at most. Of many that end within less than that, those that started earlier took longer,
 * and while a queue empties they also started among more.
 */
const rememberedPerTest = 16;
const between = 8;
/** Fewer samples prove nothing, and neither do fewer that had to wait for long: this share of a test's time, or more. */
const fewest = 24;
const fewestWaiting = 8;
const leastWait = 0.5;
/** A limit has to explain the times of tests so much better than no limit: the sum of errors is at most this share. */
const mostError = 0.85;
/** After this many looks without a limit a tenth more tests may run, since CI may have grown. */
const patience = 4;
const growth = 0.1;

/**
 * If CI serves `limit` tests at once, a test takes longer by the share in which more than these are under way. The limit is the one that
 * explains the times of the last tests best.
 */
export function learnCapacity(known: Capacity, sample: TestSample): Capacity {
  const before = known.samples.at(-1);
  if (before && sample.at - before.at < sample.ms / rememberedPerTest) return known;
  const samples = [...known.samples, sample].slice(-remembered);
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

/** How many tests may be under way at once: one more than CI serves, so that it never waits for work. */
export function mostServed({ settings, history }: Pick<QueueState, "settings" | "history">): number {
  const { limit } = history.capacity;
  return settings.policy === "fixed" || limit === null ? Number.POSITIVE_INFINITY : limit + 1;
}

/** How many tests of entries may be under way at once, by the settings and by what CI serves. */
export function usableSlots(state: Pick<QueueState, "settings" | "history">): number {
  return Math.min(effective(state.settings, "concurrency"), mostServed(state));
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

/** How far the times of tests are from what they would be with this limit: the sum of the distances of their logarithms. */
function errorOf(samples: readonly TestSample[], limit: number): number {
  const logs = samples.map(({ ms, atOnce }) => Math.log(Math.max(1, ms) / Math.max(1, atOnce / limit)));
  const median = logs.toSorted((a, b) => a - b)[logs.length >> 1] ?? 0;
  return logs.reduce((sum, one) => sum + Math.abs(one - median), 0);
}
