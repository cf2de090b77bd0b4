/** How a pull request ended; `undecided` = it has not ended. A cancelled one counts as neither merged nor rejected. */
export type Ending = "merged" | "rejected" | "cancelled" | "undecided";

/** The outcome of one pull request. Times are minutes from the start. */
export interface PullRequestOutcome {
  readonly n: number;
  /** When it was first submitted. */
  readonly at: number;
  readonly ending: Ending;
  readonly endedAt: number | null;
  /** Number of rejections although it was good. */
  readonly falseRejections: number;
  /** Number of runs whose trees contained it. */
  readonly runs: number;
}

/** The outcome of a policy for a workload. */
export interface Outcome {
  readonly policy: string;
  readonly pullRequests: readonly PullRequestOutcome[];
  /** Merges after which the base was red. */
  readonly broken: number;
  readonly runs: number;
  /** Duration of all runs, including the partial duration of discarded runs. */
  readonly ciMinutes: number;
  /** Number of simulated events. */
  readonly events: number;
  /** A hash of all decisions. Two runs of a workload with the same decisions have the same trace. */
  readonly trace: string;
  /** Violations of invariants; empty when all is well. */
  readonly violations: readonly string[];
}
