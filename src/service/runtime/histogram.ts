/** Upper bounds in seconds; larger values count in `+Inf`. */
export const bucketBounds = [60, 300, 600, 900, 1800, 3600, 5400, 7200] as const;

/** A Prometheus histogram of seconds. */
export interface Histogram {
  /** The number of values in each bucket, not cumulative. The last bucket is above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export const noValues: Histogram = { counts: bucketBounds.map(() => 0).concat(0), sum: 0 };

/** The buckets at the end that are still empty may be missing. */
export function observe({ counts, sum }: Histogram, seconds: number): Histogram {
  const found = bucketBounds.findIndex((bound) => seconds <= bound);
  const bucket = found < 0 ? bucketBounds.length : found;
  const length = Math.max(counts.length, bucket + 1);
  const next = Array.from({ length }, (_, index) => (counts[index] ?? 0) + (index === bucket ? 1 : 0));
  return { counts: next, sum: sum + seconds };
}

export function sumOf(histograms: readonly Histogram[]): Histogram {
  return histograms.reduce(
    (total, { counts, sum }) => ({
      counts: total.counts.map((count, index) => count + (counts[index] ?? 0)),
      sum: total.sum + sum,
    }),
    noValues,
  );
}
