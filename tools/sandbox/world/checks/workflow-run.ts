import type { Workflow, WorkflowEvent } from "../../ci/workflow.ts";
import type { Account } from "../account.ts";
import type { Repository } from "../repository.ts";
import type { World } from "../world.ts";
import type { CheckSuite } from "./check.ts";

/** A run of GitHub Actions: what started it, and the suite that its jobs report to. */
export interface WorkflowRun {
  id: number;
  suite: CheckSuite;
  workflow: Pick<Workflow, "id" | "name" | "path">;
  event: WorkflowEvent;
  /** The repository of its commit: a fork, for a pull request from a fork. */
  headRepository: Repository;
  actor: Account;
  title: string;
  /** Number of the run in its repository, from 1. */
  number: number;
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Whether it waits for another run of its concurrency group. */
  isPending: boolean;
}

/** A request to a workflow run. */
export type WorkflowRequest =
  | { action: "cancel" }
  /** `jobs`: the names of the jobs' checks. */
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

/** Returns the run whose jobs report to a suite. */
export function workflowRunOf(repository: Repository, suite: CheckSuite): WorkflowRun | null {
  return [...repository.workflowRuns.values()].find((run) => run.suite === suite) ?? null;
}
