/** What a pull request in the queue waits for. At any time it is exactly one of these, so the waits add up to the time in the queue. */
export const waits = [
  /** The pull request may not be tested, because it is a draft, has a conflict or lacks a review. */
  "readiness",
  /** A person paused the queue or drains it, or the queue changes its mode. */
  "paused",
  /** Its tests have passed, but during a freeze only urgent pull requests merge. */
  "frozen",
  /** A slot is free, but the batch is not full. */
  "batch",
  "slot",
  /** Its test commit is built and tested. */
  "ci",
  /** It depends on pull requests ahead of it: on their verdicts, their merges, or the end of a conflict with them. */
  "predecessors",
  /** Something outside failed, such as GitHub, and is retried. */
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
  /** Pull requests that left the queue without a merge, by the code of the reason. */
  | `left ${string}`
  /** The waits of pull requests that left the queue. */
  | `wait ${Wait}`
  | "run passed"
  | "run failed"
  /** Test runs that ended without a verdict because none was needed any more. */
  | "run stopped"
  /** Test runs and pull requests that first failed and then passed unchanged, and test runs in which quarantined tests failed. */
  | "flaky"
  /** Tests that were repeated, by the code of the reason. */
  | `restart ${string}`
  /** Searches for the culprit of a failed batch. */
  | "search"
  /** Pull requests that merged although a test of several pull requests, this one included, had failed. */
  | "innocent"
  /** The time during which slots were in use. */
  | "busy"
  /** The time that CI worked, for runs of all kinds. */
  | "ci";

export type Counts = Readonly<Partial<Record<CountName, number>>>;

export const stepMs = 5 * 60_000;
export const hourMs = 60 * 60_000;

/** What happened in five minutes. */
export interface HealthStep {
  /** When it begins, in milliseconds since the epoch. */
  readonly at: number;
  readonly counts: Counts;
  /** The times in the queue of those that merged, in milliseconds. */
  readonly stays: readonly number[];
  /** The slots at the end. */
  readonly slots: number;
}

/** The waits of one pull request while it was in the queue. */
export interface HealthStay {
  readonly pr: number;
  readonly endedAt: number;
  readonly waits: Waits;
}

/** What happened in a part of a period. `stays` are sorted. */
export interface HealthBucket extends Omit<HealthStep, "at"> {
  readonly from: number;
  readonly to: number;
}

/**
 * Adds up steps for equal parts of a period. A part without steps has the slots of the part before it.
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
