import type { Account, App } from "../account.ts";

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

export interface CheckAnnotation {
  path: string;
  start_line: number;
  end_line: number;
  annotation_level: string;
  message: string;
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
