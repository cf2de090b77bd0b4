import type { ProcessSample } from "./measure-service.ts";

/** The state of the service at a moment when no pull request is in its queue. */
export interface GrowthSample extends ProcessSample {
  /** Pull requests that have ended. */
  readonly ended: number;
  /** Exact numbers of rows. */
  readonly rows: ReadonlyMap<string, number>;
  /** Bytes of the database and its log. */
  readonly database: number;
  /** Branches of the service that exist. */
  readonly branches: readonly string[];
}

/** Tables that contain only work to do. */
const workTables = ["outbox", "inbox", "test_new_tests", "test_late_reports", "test_uncounted_uploads"];
/** Caches fill at first, so growth counts from here. */
const warmShare = 0.25;
const heapFactor = 1.2;
const heapSlack = 4_000_000;
const handleSlack = 20;
/** How much faster a table may grow in the second half. */
const paceFactor = 1.3;
const paceSlack = 20;

/** Describes what grows without a bound, or faster than the pull requests. */
export function judgeGrowth(samples: readonly GrowthSample[]): readonly string[] {
  const last = samples.at(-1);
  const warm = samples[Math.floor(samples.length * warmShare)];
  if (!last || !warm || last === warm) return ["there are too few samples"];
  return [
    ...samples.flatMap(judgeLeftovers),
    ...(last.heap > warm.heap * heapFactor + heapSlack
      ? [`the heap grew from ${megabytes(warm.heap)} to ${megabytes(last.heap)}`]
      : []),
    ...(last.fileHandles > warm.fileHandles + handleSlack
      ? [`file handles grew from ${warm.fileHandles} to ${last.fileHandles}`]
      : []),
    ...judgeTables(samples, warm, last),
  ];
}

function judgeLeftovers({ ended, rows, branches }: GrowthSample): string[] {
  const left = workTables.filter((table) => (rows.get(table) ?? 0) > 0);
  return [
    ...left.map((table) => `after ${ended} pull requests, ${rows.get(table)} rows were left in ${table}`),
    ...branches.map((name) => `after ${ended} pull requests, the branch ${name} was left`),
  ];
}

/** A table grows with the pull requests at most: not faster in the second half than in the first. */
function judgeTables(samples: readonly GrowthSample[], warm: GrowthSample, last: GrowthSample): string[] {
  const middle = samples.find(({ ended }) => ended * 2 >= warm.ended + last.ended) ?? last;
  const pace = (table: string, from: GrowthSample, to: GrowthSample) =>
    ((to.rows.get(table) ?? 0) - (from.rows.get(table) ?? 0)) / Math.max(1, to.ended - from.ended);
  return [...last.rows.keys()].flatMap((table) => {
    const [before, after] = [pace(table, warm, middle), pace(table, middle, last)];
    const slack = paceSlack / Math.max(1, last.ended - middle.ended);
    if (after <= before * paceFactor + slack) return [];
    return [
      `${table} grew by ${before.toFixed(1)} rows for each pull request, and later by ${after.toFixed(1)}`,
    ];
  });
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
