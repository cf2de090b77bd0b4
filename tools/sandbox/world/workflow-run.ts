import type { Workflow, WorkflowEvent } from "../ci/workflow.ts";
import type { Account } from "./account.ts";
import type { CheckSuite } from "./check.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

/** A run of GitHub Actions: what started it, and the suite in which its jobs report. */
export interface WorkflowRun {
  id: number;
  suite: CheckSuite;
  workflow: Pick<Workflow, "id" | "name" | "path">;
  event: WorkflowEvent;
  /** Where its commit comes from: a fork, for a pull request from one. */
  headRepository: Repository;
  actor: Account;
  title: string;
  /** Counts the runs of a repository from 1. */
  number: number;
  /** Counts how often it was run again, from 1. */
  attempt: number;
  /** It waits for another run of its concurrency group. */
  isPending: boolean;
}

/** What somebody asks of a workflow run. */
export type WorkflowRequest =
  | { action: "cancel" }
  /** `jobs`: the names of their checks. */
  | { action: "rerun"; jobs: "all" | "failed" | readonly string[] };

export function addWorkflowRun(
  world: World,
  repository: Repository,
  started: Omit<WorkflowRun, "id" | "number" | "attempt" | "isPending">,
): WorkflowRun {
  const number = repository.workflowRuns.size + 1;
  const run: WorkflowRun = { ...started, id: world.nextId(), number, attempt: 1, isPending: false };
  repository.workflowRuns.set(run.id, run);
  return run;
}

/** The run whose jobs report in a suite. */
export function workflowRunOf(repository: Repository, suite: CheckSuite): WorkflowRun | null {
  return [...repository.workflowRuns.values()].find((run) => run.suite === suite) ?? null;
}
