/** What a test run validates, and takes the longest time of: everything in its tree, or its own members only. */
export type Scope = "tree" | "members";

export interface WorkloadSettings {
  /** How many test runs run at once, whatever their kind. */
  readonly workers: number;
  /** The share of otherwise passing runs that go red. */
  readonly flakeRate: number;
  readonly scope: Scope;
  /** Whose times decide how long a run takes; absent = as `scope`. */
  readonly timedBy?: Scope;
  /** Over how many hours pull requests arrive. */
  readonly hours: number;
  readonly seed: number;
  /** How long the author of a pull request takes that was rejected although it was good; infinite = gives up. */
  readonly resubmitMinutes: number;
  /** How much test runs of the same tree differ: the sigma of a lognormal factor; 0 = not at all. */
  readonly durationNoise: number;
}

/** Impacted targets by name, or every target there is. */
export type Targets = "ALL" | readonly string[];

export interface SimulatedPullRequest {
  readonly n: number;
  /** When it is submitted, in minutes from the start. */
  readonly at: number;
  readonly targets: Targets;
  /** Its tests fail, whatever it stands on. */
  readonly fails: boolean;
  /** How long its tests take. */
  readonly minutes: number;
  /** As in the queue: lower goes first, 0 skips the line. */
  readonly priority: number;
  /** How likely a predictor finds it that the pull request is bad; null = there is no predictor. */
  readonly risk: number | null;
  /** It is tested alone; absent = it need not be. */
  readonly noBatch?: boolean;
}

/** Two pull requests that pass alone and fail together. */
export interface ConflictPair {
  readonly a: number;
  readonly b: number;
}

/** The author takes the pull request out at this minute. */
export interface Cancellation {
  readonly n: number;
  readonly at: number;
}

/** CI is out of order: every run that ends then goes red. In minutes from the start. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** Everything that is the same for every policy: what happens, and what is true. */
export interface Workload {
  readonly settings: WorkloadSettings;
  /** By time of submission, then number. */
  readonly pullRequests: readonly SimulatedPullRequest[];
  readonly conflicts: readonly ConflictPair[];
  readonly cancellations: readonly Cancellation[];
  /** Absent = none. */
  readonly outages?: readonly Outage[];
}

/** How old the base may be that a pull request was written on: what merged earlier does not conflict with it. */
export const staleMinutes = 60;

export function inOrder(pullRequests: readonly SimulatedPullRequest[]): SimulatedPullRequest[] {
  return pullRequests.toSorted((a, b) => a.at - b.at || a.n - b.n);
}
