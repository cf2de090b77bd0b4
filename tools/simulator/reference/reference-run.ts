/** A test run of a reference policy: the base at the start of the run, plus a tree. Pull requests are indices. */
export interface ReferenceRun {
  readonly number: number;
  /** The pull requests that it decides about. */
  readonly members: readonly number[];
  /** All unmerged pull requests that it tests, including the members. */
  readonly tree: readonly number[];
  readonly startedAt: number;
  readonly baseSize: number;
}

/** A merge queue policy, as a small model for comparison. */
export interface ReferencePolicy {
  /** Whether it knows every outcome, so that no run of it flakes. */
  readonly foresees?: boolean;
  /** A pull request was submitted, or submitted again. */
  arrive(index: number): void;
  finish(run: ReferenceRun, passed: boolean): void;
  /** Starts the runs that can be started now. Called after every event. */
  act(): void;
}

/** The information and operations of a policy. A policy no longer handles pull requests that it rejected or merged. */
export interface ReferenceQueue {
  /** In minutes. */
  readonly now: number;
  readonly workers: number;
  readonly freeWorkers: number;
  /** Pull requests that share a target with it, ascending. */
  neighboursOf(index: number): Int32Array;
  /** The probability of being bad, by a predictor. Without a predictor the same for all. */
  riskOf(index: number): number;
  /** The truth, for policies that may know it. */
  isBad(index: number): boolean;
  /** Starts a run. A worker must be free. */
  start(members: readonly number[], tree: readonly number[]): ReferenceRun;
  discard(run: ReferenceRun): void;
  merge(index: number): void;
  reject(index: number): void;
  /** Requests an additional `act` at that time. */
  wakeAt(at: number): void;
}
