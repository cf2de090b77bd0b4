/** One line of a benchmark's result: what `--json` prints. */
export interface Row {
  readonly name: string;
  /** The median over the runs. */
  readonly value: number;
  readonly unit: string;
  /** The median of the same work with everything of ours taken away, in the same invocation. */
  readonly floor: number;
  /** `value / floor`. */
  readonly ratio: number;
  readonly runs: number;
  /** Of single requests, in milliseconds, where the unit is a rate; else of the runs, in their unit. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface Benchmark {
  /** What it measures and against what, for people. */
  readonly about: string;
  /** Yields each row as soon as it is known. Rejects when what was measured did not do its work. */
  measure(tell: (progress: string) => void): AsyncIterable<Row>;
}
