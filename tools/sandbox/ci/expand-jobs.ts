import type { Job, WorkflowEvent } from "./workflow.ts";

/** A job as it appears in the list of checks. */
export interface ExpandedJob {
  /** The name of its check. */
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
