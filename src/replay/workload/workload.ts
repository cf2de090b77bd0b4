/** Which pull requests a test run validates, and whose durations count: all in its tree, or only its members. */
export type Scope = "tree" | "members";

export interface WorkloadSettings {
  /** Maximum number of test runs at once, of any kind. */
  readonly workers: number;
  /** The share of otherwise passing runs that fail. */
  readonly flakeRate: number;
  readonly scope: Scope;
  /** Which pull requests determine the duration of a run; absent = as `scope`. */
  readonly timedBy?: Scope;
  /** Length of the period in which pull requests arrive. */
  readonly hours: number;
  readonly seed: number;
  /** How long the author of a wrongly rejected pull request takes to resubmit it; infinite = never. */
  readonly resubmitMinutes: number;
  /** Variation of the duration of test runs of the same tree: the sigma of a lognormal factor; 0 = none. */
  readonly durationNoise: number;
}

/** Names of impacted targets, or all targets. */
export type Targets = "ALL" | readonly string[];

export interface SimulatedPullRequest {
  readonly n: number;
  /** Time of submission, in minutes from the start. */
  readonly at: number;
  readonly targets: Targets;
  /** Whether its tests always fail, regardless of its predecessors. */
  readonly fails: boolean;
  /** Duration of its tests. */
  readonly minutes: number;
  /** As in the queue: a lower value goes first, and 0 is urgent. */
  readonly priority: number;
  /** The probability of being bad, by a predictor; null = there is no predictor. */
  readonly risk: number | null;
  /** Whether it must be tested alone; absent = false. */
  readonly noBatch?: boolean;
}

/** Two pull requests that pass alone and fail together. */
export interface ConflictPair {
  readonly a: number;
  readonly b: number;
}

/** The author cancels the pull request at this minute. */
export interface Cancellation {
  readonly n: number;
  readonly at: number;
}

/** An outage of CI: every run that ends during it fails. In minutes from the start. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** Everything that is equal for every policy: the events and the truth. */
export interface Workload {
  readonly settings: WorkloadSettings;
  /** By time of submission, then by number. */
  readonly pullRequests: readonly SimulatedPullRequest[];
  readonly conflicts: readonly ConflictPair[];
  readonly cancellations: readonly Cancellation[];
  /** Absent = none. */
  readonly outages?: readonly Outage[];
}

/** Maximum age of the base that a pull request was written on. Earlier merges do not conflict with it. */
export const staleMinutes = 60;

export function inOrder(pullRequests: readonly SimulatedPullRequest[]): SimulatedPullRequest[] {
  return pullRequests.toSorted((a, b) => a.at - b.at || a.n - b.n);
}
