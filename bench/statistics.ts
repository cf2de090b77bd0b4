import type { Row } from "./benchmark.ts";

/** Returns the median. For an even number of values, it is the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** Returns the smallest value that at least `share` of all values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** @param singles the values of the percentiles. Default: the runs. */
export function toRow(
  name: string,
  unit: string,
  { values, floors, singles = values }: { values: number[]; floors: number[]; singles?: readonly number[] },
): Row {
  const value = median(values);
  const floor = median(floors);
  return {
    name,
    value: rounded(value),
    unit,
    floor: rounded(floor),
    ratio: rounded(value / floor),
    runs: values.length,
    p50: rounded(percentile(singles, 0.5)),
    p95: rounded(percentile(singles, 0.95)),
    p99: rounded(percentile(singles, 0.99)),
  };
}

/** Further digits would suggest more precision than a benchmark has. */
export function rounded(value: number): number {
  return Number(value.toPrecision(value >= 1000 ? 4 : 3));
}
