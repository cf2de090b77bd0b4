import { type Capacity, medianOf, type TestSample } from "../model/capacity/history.ts";

const remembered = 64;

/**
 * The maximum number of samples that are taken during the duration of one test. With more, all samples could end within a short time. The
 * long tests would then be those that started early. While a queue empties, early tests also start among more others, so their duration
 * would look like a limit.
 */
const rememberedPerTest = 16;

/** The limit is measured after this many samples. */
const between = 8;

/** A limit needs at least this many samples, of which this many waited for at least this share of a test's duration. */
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
