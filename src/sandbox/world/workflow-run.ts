import type { Account } from "./account.ts";
import type { CheckSuite } from "./check.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

/** A run of GitHub Actions: what started it, and the suite in which its jobs report. */
export interface WorkflowRun {
  id: number;
  suite: CheckSuite;
  event: "push" | "pull_request";
  /** Where its commit comes from: a fork, for a pull request from one. */
  headRepository: Repository;
  actor: Account;
  title: string;
  /** Counts the runs of a repository from 1. */
  number: number;
  /** Counts how often it was run again, from 1. */
  attempt: number;
}

export function addWorkflowRun(
  world: World,
  repository: Repository,
  started: Omit<WorkflowRun, "id" | "number" | "attempt">,
): void {
  const number = repository.workflowRuns.size + 1;
  const run: WorkflowRun = { ...started, id: world.nextId(), number, attempt: 1 };
  repository.workflowRuns.set(run.id, run);
}

/** The run whose jobs report in a suite. */
export function workflowRunOf(repository: Repository, suite: CheckSuite): WorkflowRun | null {
  return [...repository.workflowRuns.values()].find((run) => run.suite === suite) ?? null;
}

/** Notes that the run of a suite was begun again. */
export function repeatWorkflow(repository: Repository, suite: CheckSuite): void {
  for (const run of repository.workflowRuns.values()) if (run.suite === suite) run.attempt += 1;
}
