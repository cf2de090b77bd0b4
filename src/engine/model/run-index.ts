import { compareTexts, SortedMap } from "../collections/sorted-map.ts";
import type { TestRun } from "./test-run.ts";

/** Indexes of the queue's runs, besides the one by id. */
export interface RunIndex {
  /** The number of runs that occupy a slot. */
  readonly active: Readonly<Record<TestRun["kind"], number>>;
  /** The running runs that have a deadline; the earliest deadline comes first. */
  readonly deadlines: SortedMap<readonly [deadline: number, runId: string], string>;
  /** The runs of each bisection. */
  readonly probes: SortedMap<string, readonly string[]>;
}

export const noRuns: RunIndex = {
  active: { main: 0, bisection: 0 },
  deadlines: SortedMap.empty<readonly [number, string], string>(
    (a, b) => a[0] - b[0] || compareTexts(a[1], b[1]),
  ),
  probes: SortedMap.empty(compareTexts),
};
