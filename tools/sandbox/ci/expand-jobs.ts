import type { Job, WorkflowEvent } from "./workflow.ts";

/** A job as it appears among the checks. */
export interface ExpandedJob {
  /** The name of its check. */
  check: string;
  /** The name of the innermost job, by which it is judged. */
  job: string;
  /** The value of its matrix; null = it has none. */
  leg: string | number | null;
  isSkipped: boolean;
}

/**
 * The jobs that a workflow has on an event. A condition is evaluated before the matrix and before the called workflow: a job that is
 * skipped is one check without their names.
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
