/** One line of a benchmark's result, as `--json` prints it. */
export interface Row {
  readonly name: string;
  /** The median over the runs. */
  readonly value: number;
  readonly unit: string;
  /** The median of the same work without any of our code, in the same invocation. */
  readonly floor: number;
  /** `value / floor`. */
  readonly ratio: number;
  readonly runs: number;
  /** Of single requests, in milliseconds, if the unit is a rate; else of the runs, in their unit. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface Benchmark {
  /** Describes for people what is measured, and against what. */
  readonly about: string;
  /** Yields each row as soon as it is known. Rejects when the measured code did not do its work. */
  measure(tell: (progress: string) => void): AsyncIterable<Row>;
}
