export type WorkflowEvent = "push" | "pull_request";

/**
 * When a workflow runs. `branches` and `branchesIgnore` filter the branch that is pushed to, or the base branch of a pull
 * request. `paths` and `pathsIgnore` filter the changed files. The names and the patterns are GitHub's (`filter-pattern.ts`).
 * Without filters the workflow always runs.
 */
export interface Trigger {
  branches?: readonly string[];
  branchesIgnore?: readonly string[];
  paths?: readonly string[];
  pathsIgnore?: readonly string[];
}

export interface Job {
  name: string;
  /** `if: github.event_name == '…'`: the job is skipped on the other event. */
  onlyOn?: WorkflowEvent;
  /** Values of a one-dimensional matrix. Each value has a check `name (value)`. */
  matrix?: readonly (string | number)[];
  /** The jobs of the reusable workflow that it calls. Each of these jobs has a check `name / job`. */
  calls?: readonly Job[];
}

interface Concurrency {
  /** May contain expressions; see `concurrency-group.ts`. */
  group: string;
  cancelInProgress: boolean;
}

/** One workflow file of a repository. */
export interface Workflow {
  id: number;
  name: string;
  path: string;
  /** Null = it does not run on this event. */
  on: Readonly<Record<WorkflowEvent, Trigger | null>>;
  concurrency: Concurrency | null;
  jobs: readonly Job[];
  isInvalid: boolean;
}

export interface WorkflowOptions {
  name: string;
  /** Default: `.github/workflows/NAME.yml`, in lower case. */
  path?: string;
  /** Default: every push and every pull request. */
  on?: Partial<Record<WorkflowEvent, Trigger>>;
  concurrency?: { group: string; cancelInProgress?: boolean };
  jobs: readonly (string | Job)[];
  /** GitHub cannot read its file: each run fails without a job. Default: false. */
  isInvalid?: boolean;
}

export const createWorkflow = (options: WorkflowOptions, index: number): Workflow => ({
  id: index + 1,
  name: options.name,
  path: options.path ?? `.github/workflows/${options.name.toLowerCase()}.yml`,
  on: options.on
    ? { push: options.on.push ?? null, pull_request: options.on.pull_request ?? null }
    : { push: {}, pull_request: {} },
  concurrency: options.concurrency ? { cancelInProgress: false, ...options.concurrency } : null,
  jobs: options.jobs.map((job) => (typeof job === "string" ? { name: job } : job)),
  isInvalid: options.isInvalid ?? false,
});

/** A job as it appears in the list of checks. */
export interface ExpandedJob {
  check: string;
  /** The name of the innermost job, which determines its verdict. */
  job: string;
  /** The value of its matrix; null = it has no matrix. */
  leg: string | number | null;
  isSkipped: boolean;
}

/**
 * Returns the jobs of a workflow for an event. A condition is evaluated before the matrix and before the called workflow. A
 * skipped job is therefore one check, without matrix values or names of called jobs.
 * https://github.com/actions/runner/issues/952
 */
export function expandJobs(jobs: readonly Job[], event: WorkflowEvent, prefix = ""): ExpandedJob[] {
  return jobs.flatMap((job): ExpandedJob[] => {
    const name = `${prefix}${job.name}`;
    if (job.onlyOn !== undefined && job.onlyOn !== event)
      return [{ check: name, job: job.name, leg: null, isSkipped: true }];
    const legs = job.matrix ?? [null];
    return legs.flatMap((leg) => {
      const check = leg === null ? name : `${name} (${leg})`;
      return job.calls
        ? expandJobs(job.calls, event, `${check} / `)
        : [{ check, job: job.name, leg, isSkipped: false }];
    });
  });
}
