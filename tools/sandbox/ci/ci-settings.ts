import { checkGroup } from "./concurrency-groups.ts";
import type { Reporter } from "./reporters.ts";
import { createWorkflow, expandJobs, type Workflow, type WorkflowOptions } from "./workflow.ts";

/** The behaviour of the sandbox's CI in one repository. */
export interface CiSettings {
  /** Names of the jobs. `build` fails for other reasons than the rest; see `facts.ts`. */
  checks: readonly string[];
  /** Patterns of branches. A push to a matching branch starts CI. */
  branches: readonly string[];
  /** Whether CI runs when a pull request is opened, reopened or pushed to. */
  pullRequests: boolean;
  /** The workflows. Null = one workflow named CI, as described by `checks`, `branches` and `pullRequests`. */
  workflows: readonly WorkflowOptions[] | null;
  /** Other Apps that report on commits. */
  reporters: readonly Reporter[];
  /** How long a check runs, in milliseconds, from and to. */
  durationMs: readonly [number, number];
  /** The status of a job's check before the job runs: `pending`, for example, while a rule about deployments delays it. */
  jobsBegin: "queued" | "pending";
  /** The probability that a check fails although the tree is good. */
  flakeRate: number;
  /**
   * The last step of each job, such as uploading its test reports; null = none. The job ends with the conclusion that it returns.
   */
  lastStep: ((job: FinishingJob) => Promise<"success" | "failure">) | null;
}

/** A job in its last step. */
export interface FinishingJob {
  /** The bare repository. Only for reading. */
  gitDirectory: string;
  sha: string;
  /** The tree that was tested. */
  tree: string;
  branch: string;
  /** The pull request that started its run; null = a push started it. */
  pr: number | null;
  workflow: string;
  /** The name of the job in the workflow. */
  job: string;
  /** The matrix value of this leg; null = the job has no matrix. */
  leg: string | number | null;
  /** The name of its check. */
  check: string;
  checkRunId: number;
  runId: number;
  /** Counts from 1. */
  runAttempt: number;
  conclusion: "success" | "failure";
  /** Whether it fails although the tree is good. */
  isFlake: boolean;
  /** Aborts when the sandbox closes. Closing waits for the step. */
  closing: AbortSignal;
}

/**
 * Fills in the defaults.
 * @throws for a concurrency group that the sandbox cannot evaluate
 */
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
    jobsBegin: options.jobsBegin ?? "queued",
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
