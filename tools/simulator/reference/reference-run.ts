/** A test run of a reference policy: over the base as it was, plus a tree. Pull requests by index. */
export interface ReferenceRun {
  readonly number: number;
  /** What it decides about. */
  readonly members: readonly number[];
  /** Everything unmerged that it tests, members included. */
  readonly tree: readonly number[];
  readonly startedAt: number;
  readonly baseSize: number;
}

/** A way to run a merge queue, as a small model for comparison. */
export interface ReferencePolicy {
  /** Knows every outcome, so that no run of it flakes. */
  readonly foresees?: boolean;
  /** A pull request was submitted, or submitted again. */
  arrive(index: number): void;
  finish(run: ReferenceRun, passed: boolean): void;
  /** Starts what can be started now; called after everything that happens. */
  act(): void;
}

/** What a policy can know and do. Whatever it rejects or merges is out of its hands. */
export interface ReferenceQueue {
  /** In minutes. */
  readonly now: number;
  readonly workers: number;
  readonly freeWorkers: number;
  /** Who shares a target with it, ascending. */
  neighboursOf(index: number): Int32Array;
  /** How likely a predictor finds it bad; without a predictor the same for all. */
  riskOf(index: number): number;
  /** The truth, for the policies that may foresee it. */
  isBad(index: number): boolean;
  /** Starts a run. A worker must be free. */
  start(members: readonly number[], tree: readonly number[]): ReferenceRun;
  discard(run: ReferenceRun): void;
  merge(index: number): void;
  reject(index: number): void;
  /** Asks for one more `act` at that time. */
  wakeAt(at: number): void;
}
