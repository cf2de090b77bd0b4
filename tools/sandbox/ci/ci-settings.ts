import { checkGroup } from "./concurrency-group.ts";
import { expandJobs } from "./expand-jobs.ts";
import type { Reporter } from "./reporters.ts";
import { createWorkflow, type Workflow, type WorkflowOptions } from "./workflow.ts";

/** What the sandbox's CI does in one repository. */
export interface CiSettings {
  /** Names of the jobs. `build` and the others fail for different reasons; see `facts.ts`. */
  checks: readonly string[];
  /** Patterns of the branches whose pushes start it. */
  branches: readonly string[];
  /** Whether a pull request starts it when it opens, reopens, and gets commits. */
  pullRequests: boolean;
  /** The workflows. Null: one, called CI, which `checks`, `branches` and `pullRequests` describe. */
  workflows: readonly WorkflowOptions[] | null;
  /** Other Apps that report on commits. */
  reporters: readonly Reporter[];
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
  /** The bare repository. To be read only. */
  gitDirectory: string;
  sha: string;
  /** The tree that was tested. */
  tree: string;
  branch: string;
  /** The pull request that started its run; null = a push did. */
  pr: number | null;
  /** The name of the workflow. */
  workflow: string;
  /** The job, as the workflow calls it. */
  job: string;
  /** The value that its matrix has in this leg; null = it has no matrix. */
  leg: string | number | null;
  /** The name of its check. */
  check: string;
  checkRunId: number;
  runId: number;
  /** From 1. */
  runAttempt: number;
  conclusion: "success" | "failure";
  /** It fails although the tree is good. */
  isFlake: boolean;
  /** Aborts when the sandbox closes, which waits for the step. */
  closing: AbortSignal;
}

/** Throws for a concurrency group that the sandbox cannot evaluate. */
export function createCiSettings(options: Partial<CiSettings>): CiSettings {
  const { workflows = null } = options;
  for (const { concurrency } of workflows ?? []) if (concurrency) checkGroup(concurrency.group);
  return {
    checks: options.checks ?? (workflows ? jobsOnPush(workflows) : ["build", "test"]),
    branches: options.branches ?? ["trainyard-merge/**"],
    pullRequests: options.pullRequests ?? true,
    workflows,
    reporters: options.reporters ?? [],
    durationMs: options.durationMs ?? [100, 400],
    flakeRate: options.flakeRate ?? 0,
    lastStep: options.lastStep ?? null,
  };
}

export function workflowsOf({ workflows, checks, branches, pullRequests }: CiSettings): readonly Workflow[] {
  const simple: WorkflowOptions = {
    name: "CI",
    on: { push: { branches }, ...(pullRequests ? { pull_request: {} } : {}) },
    jobs: checks,
  };
  return (workflows ?? [simple]).map(createWorkflow);
}

function jobsOnPush(workflows: readonly WorkflowOptions[]): string[] {
  const jobs = workflows
    .map(createWorkflow)
    .filter(({ on }) => on.push !== null)
    .flatMap((workflow) => expandJobs(workflow.jobs, "push"));
  return [...new Set(jobs.filter(({ isSkipped }) => !isSkipped).map(({ job }) => job))];
}
