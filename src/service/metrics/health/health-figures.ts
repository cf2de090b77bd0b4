/** What a pull request in the queue waits for. At any time it is exactly one of these, so they add up to its stay. */
export const waits = [
  /** It may not be tested yet, or not any more: it is a draft, has a conflict, lacks a review. */
  "readiness",
  /** Somebody paused or drains the queue, or it changes its mode. */
  "paused",
  /** Its tests have passed, but a freeze lets only urgent ones merge. */
  "frozen",
  /** A slot is free, but the batch is not full. */
  "batch",
  "slot",
  /** Its test commit is built and tested. */
  "ci",
  /** It depends on what is ahead of it: on verdicts, on merges, or on the end of a conflict. */
  "predecessors",
  /** Something outside failed, such as GitHub, and is tried again. */
  "retry",
] as const;
export type Wait = (typeof waits)[number];

/** Milliseconds. */
export type Waits = Readonly<Record<Wait, number>>;

export const noWaits: Waits = {
  ...{ readiness: 0, paused: 0, frozen: 0, batch: 0 },
  ...{ slot: 0, ci: 0, predecessors: 0, retry: 0 },
};

/** What is counted in each step. Times are in milliseconds. */
export type CountName =
  | "merged"
  | "failed"
  | "cancelled"
  /** Those that left without a merge, by the code of the reason. */
  | `left ${string}`
  /** The waits of those that ended. */
  | `wait ${Wait}`
  | "run passed"
  | "run failed"
  /** No longer needed before it had a verdict. */
  | "run stopped"
  /** A test run, or a pull request, that first failed and then passed unchanged; or whose quarantined tests failed. */
  | "flaky"
  /** Tests that had to be repeated, by the code of the reason. */
  | `restart ${string}`
  /** Searches for the culprit of a failed batch. */
  | "search"
  /** Merged, although a test of several pull requests that contained it had failed. */
  | "innocent"
  /** Time of slots in use. */
  | "busy"
  /** Time of CI, for runs of all kinds. */
  | "ci";

export type Counts = Readonly<Partial<Record<CountName, number>>>;

export const stepMs = 5 * 60_000;
export const hourMs = 60 * 60_000;

/** What happened in five minutes. */
export interface HealthStep {
  /** When it begins, in milliseconds since the epoch. */
  readonly at: number;
  readonly counts: Counts;
  /** How long those that merged were in the queue, in milliseconds. */
  readonly stays: readonly number[];
  /** The slots at the end. */
  readonly slots: number;
}

/** Where the time of a pull request in the queue went. */
export interface HealthStay {
  readonly pr: number;
  readonly endedAt: number;
  readonly waits: Waits;
}

/** A part of a period, with what happened in it. `stays` are sorted. */
export interface HealthBucket extends Omit<HealthStep, "at"> {
  readonly from: number;
  readonly to: number;
}

/**
 * Adds up steps in equal parts of a period. A part in which nothing happened has the slots of the part before it.
 *
 * @param slots before the first step
 */
export function bucketsOf(
  steps: readonly HealthStep[],
  { from, to, bucketMs }: { readonly from: number; readonly to: number; readonly bucketMs: number },
  slots: number,
): readonly HealthBucket[] {
  const byBucket = Map.groupBy(steps, ({ at }) => Math.floor((at - from) / bucketMs));
  let last = steps[0]?.slots ?? slots;
  return Array.from({ length: Math.ceil((to - from) / bucketMs) }, (_, index) => {
    const own = byBucket.get(index) ?? [];
    last = own.at(-1)?.slots ?? last;
    const begin = from + index * bucketMs;
    return { from: begin, to: Math.min(to, begin + bucketMs), ...totalOf(own), slots: last };
  });
}

/** Adds up steps or buckets. */
export function totalOf(
  parts: readonly Pick<HealthStep, "counts" | "stays">[],
): Pick<HealthStep, "counts" | "stays"> {
  const counts: Partial<Record<CountName, number>> = {};
  for (const part of parts)
    for (const [name, count] of Object.entries(part.counts) as [CountName, number][])
      counts[name] = (counts[name] ?? 0) + count;
  return { counts, stays: parts.flatMap(({ stays }) => stays).sort((a, b) => a - b) };
}

/** The value below which this share of sorted values lies; null = there are none. */
export function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
