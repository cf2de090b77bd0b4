import type { Workflow, WorkflowEvent } from "../../ci/workflow.ts";
import type { Account, App } from "../account.ts";
import type { Repository } from "../repository.ts";
import type { World } from "../world.ts";

export type CheckStatus = "queued" | "in_progress" | "completed" | "waiting" | "requested" | "pending";
export type CheckConclusion =
  | "success"
  | "failure"
  | "neutral"
  | "cancelled"
  | "skipped"
  | "timed_out"
  | "action_required"
  | "stale";

interface CheckAnnotation {
  path: string;
  start_line: number;
  end_line: number;
  annotation_level: string;
  message: string;
  title?: string;
}

export interface CheckRun {
  id: number;
  suite: CheckSuite;
  name: string;
  status: CheckStatus;
  conclusion: CheckConclusion | null;
  startedAt: Date | null;
  completedAt: Date | null;
  externalId: string | null;
  detailsUrl: string | null;
  output: {
    title: string | null;
    summary: string | null;
    text: string | null;
    annotations: CheckAnnotation[];
  };
}

/** The check runs of one App on one commit. GitHub Actions has one suite for each workflow run. */
export interface CheckSuite {
  id: number;
  app: App;
  headSha: string;
  headBranch: string | null;
  before: string | null;
  runs: CheckRun[];
  /** The conclusion of a suite without check runs: its workflow run was cancelled before its jobs began. Null otherwise. */
  endedAs: CheckConclusion | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface CommitStatus {
  id: number;
  sha: string;
  context: string;
  state: "error" | "failure" | "pending" | "success";
  description: string | null;
  targetUrl: string | null;
  creator: Account;
  /** The App whose installation reported it; null = a user did. */
  app: App | null;
  createdAt: Date;
}

/** Returns the latest run of each name. In a suite, a run replaces earlier runs of the same name. */
export function latestRuns(suite: CheckSuite): CheckRun[] {
  return [...new Map(suite.runs.map((run) => [run.name, run])).values()];
}

/** Whether the run has ended with a conclusion that does not count as passed. */
export function hasFailed({ conclusion }: CheckRun): boolean {
  return conclusion !== null && !["success", "neutral", "skipped"].includes(conclusion);
}

const WORST_FIRST: CheckConclusion[] = [
  "action_required",
  "timed_out",
  "cancelled",
  "failure",
  "stale",
  "neutral",
  "skipped",
  "success",
];

/** Derives the suite's status from its latest runs. A suite without runs stays queued, because an App may never report. */
export function summarizeSuite(suite: CheckSuite): {
  status: CheckStatus;
  conclusion: CheckConclusion | null;
} {
  const runs = latestRuns(suite);
  if (suite.endedAs !== null) return { status: "completed", conclusion: suite.endedAs };
  if (runs.length === 0 || runs.every((run) => run.status === "queued"))
    return { status: "queued", conclusion: null };
  if (runs.some((run) => run.status !== "completed")) return { status: "in_progress", conclusion: null };
  const conclusions = new Set(runs.map((run) => run.conclusion));
  return { status: "completed", conclusion: WORST_FIRST.find((one) => conclusions.has(one)) ?? null };
}

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
