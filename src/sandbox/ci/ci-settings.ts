/** What the sandbox's CI does in one repository. */
export interface CiSettings {
  /** Names of the check runs. `build` and the others fail for different reasons; see `facts.ts`. */
  checks: readonly string[];
  /** Globs of the branches whose pushes start it. */
  branches: readonly string[];
  /** Whether a pull request starts it when it opens, reopens, and gets commits. */
  pullRequests: boolean;
  /** How long a check runs, in milliseconds, from and to. */
  durationMs: readonly [number, number];
  /** The probability that a check fails although the tree is good. */
  flakeRate: number;
  /**
   * What each job does before it ends, such as uploading the reports of its tests; null = nothing. What it answers is how the job
   * ends.
   */
  lastStep: ((job: FinishingJob) => Promise<"success" | "failure">) | null;
}

/** A job that is about to end. */
export interface FinishingJob {
  sha: string;
  /** The tree that was tested. */
  tree: string;
  branch: string;
  /** The pull request that started its run; null = a push did. */
  pr: number | null;
  /** The name of its check. */
  check: string;
  runId: number;
  /** From 1. */
  runAttempt: number;
  conclusion: "success" | "failure";
  /** It fails although the tree is good. */
  isFlake: boolean;
}

export const createCiSettings = (options: Partial<CiSettings>): CiSettings => ({
  checks: options.checks ?? ["build", "test"],
  branches: options.branches ?? ["trainyard-merge/**"],
  pullRequests: options.pullRequests ?? true,
  durationMs: options.durationMs ?? [100, 400],
  flakeRate: options.flakeRate ?? 0,
  lastStep: options.lastStep ?? null,
});
