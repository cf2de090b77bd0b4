/** How a pull request ended; `undecided` = not at all. A cancelled one counts as neither merged nor rejected. */
export type Ending = "merged" | "rejected" | "cancelled" | "undecided";

/** What became of one pull request. Times in minutes from the start. */
export interface PullRequestOutcome {
  readonly n: number;
  /** When it was first submitted. */
  readonly at: number;
  readonly ending: Ending;
  readonly endedAt: number | null;
  /** How often it was rejected although it was good. */
  readonly falseRejections: number;
  /** In how many runs' trees it was. */
  readonly runs: number;
}

/** What a policy made of a workload. */
export interface Outcome {
  readonly policy: string;
  readonly pullRequests: readonly PullRequestOutcome[];
  /** Merges after which the base was red. */
  readonly broken: number;
  readonly runs: number;
  /** What all runs took, those included that were discarded half-way. */
  readonly ciMinutes: number;
  /** How many things happened. */
  readonly events: number;
  /** Two runs of a workload that did the same have the same. */
  readonly trace: string;
  /** What must not have happened. */
  readonly violations: readonly string[];
}
