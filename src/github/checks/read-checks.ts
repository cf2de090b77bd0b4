import type { CheckFact, RequiredCheck } from "../../engine/model/checks/required-checks.ts";
import type { CheckReading } from "../../ports/code-host/checks.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { readStatuses, readStatusesOfApps, type StatusApps } from "./statuses.ts";
import { readWorkflowPaths } from "./workflow-runs.ts";

const pageSize = 100;

/**
 * Reads the check runs and statuses of a commit that may count for the required checks; with `branch`, only those that report on
 * the commit for this branch. A status belongs to no branch. Statuses are read only if one could count: for a check that is bound
 * to no App, and for a check whose App has created no check run.
 */
export async function readChecks(
  api: RepositoryApi,
  ref: string,
  required: readonly RequiredCheck[],
  apps: StatusApps,
  branch: string | null = null,
): Promise<CheckReading> {
  const runs = await readRuns(api, ref);
  const isUnbound = required.some(({ appId }) => appId === null);
  const unreported = required.filter(
    ({ name, appId }) => appId !== null && !runs.some((run) => run.name === name && run.appId === appId),
  );
  const statuses = isUnbound || unreported.length > 0 ? await readStatuses(api, ref) : [];
  // Only the list of all statuses names the Apps that reported them. It is read if the status of one of these checks exists.
  const reported = new Set(statuses.map(({ name }) => name));
  const bound = new Set(unreported.flatMap(({ name }) => (reported.has(name) ? [name] : [])));
  const ofApps = bound.size > 0 ? await readStatusesOfApps(api, ref, bound, apps) : [];
  const names = new Set(required.map(({ name }) => name));
  // A status with its App replaces the same status without its App.
  const ids = new Set(ofApps.map(({ id }) => id));
  const all = [...runs, ...ofApps, ...statuses.filter(({ id }) => !ids.has(id))];
  const found = all.filter(({ name }) => names.has(name));
  if (branch === null) return { checks: found, isQuiet: false };
  const reading = await readBranch(api, ref, branch, required, found);
  const isMissing = required.some((check) => !reading.checks.some((fact) => isReportOf(fact, check)));
  const isQuiet = isMissing && reading.isQuiet(all);
  const brokenWorkflows = isQuiet ? await readWorkflowPaths(api, ref, reading.broken) : [];
  return { checks: reading.checks, isQuiet, ...(brokenWorkflows.length > 0 ? { brokenWorkflows } : {}) };
}

async function readRuns({ octokit, at }: RepositoryApi, ref: string): Promise<CheckFact[]> {
  const runs = await octokit.paginate(octokit.rest.checks.listForRef, {
    ...at,
    ref,
    filter: "latest",
    per_page: pageSize,
  });
  return runs.map((run) => ({
    kind: "check_run",
    name: run.name,
    appId: run.app?.id ?? null,
    suiteId: run.check_suite?.id ?? null,
    id: run.id,
    status: run.status,
    conclusion: run.conclusion,
    url: run.html_url,
    ...(run.started_at === null ? {} : { startedAt: Date.parse(run.started_at) }),
    ...(run.completed_at === null ? {} : { completedAt: Date.parse(run.completed_at) }),
  }));
}

/** The properties of a check suite that its check runs lack. */
interface Suite {
  readonly id: number;
  readonly branch: string | null;
  readonly appId: number | null;
  /** GitHub Actions creates a suite for each workflow run, other Apps have one for each commit. */
  readonly isWorkflow: boolean;
  readonly status: string | null;
  readonly conclusion: string | null;
  readonly checks: number;
}

export interface BranchReading {
  /** The reports of the required checks. */
  readonly checks: readonly CheckFact[];
  /** Whether nothing that reports on the commit is queued or in progress for the branch; false when that was not read. */
  isQuiet(all: readonly CheckFact[]): boolean;
  /** The suites of workflow runs that failed without a job. */
  readonly broken: ReadonlySet<number>;
}

/**
 * Selects the check runs that report about a branch: a commit may be on several branches. Suites of other branches do not count,
 * unless they belong to an App with one suite for each commit, which names only the first branch that had the commit. A workflow
 * run that was cancelled before its jobs began has no check run: once its App cannot report anything more, each missing required
 * check counts as cancelled.
 *
 * Reading the suites costs a call, so they are read only if they can change the verdict: a required check is missing, has failed,
 * or is reported by several suites.
 */
export async function readBranch(
  api: RepositoryApi,
  ref: string,
  branch: string,
  required: readonly RequiredCheck[],
  facts: readonly CheckFact[],
): Promise<BranchReading> {
  if (!needsSuites(required, facts)) return { checks: facts, isQuiet: () => false, broken: new Set() };
  const suites = await readSuites(api, ref);
  const ofBranch = suites.filter((suite) => suite.branch === branch);
  const isElsewhere = (suite: Suite) =>
    suite.branch !== branch && (suite.isWorkflow || ofBranch.some(({ appId }) => appId === suite.appId));
  const elsewhere = new Set(suites.filter(isElsewhere).map(({ id }) => id));
  const counted = facts.filter(({ suiteId }) => suiteId === null || !elsewhere.has(suiteId));
  const checks = [...counted, ...cancelledBeforeTheirJobs(required, counted, ofBranch)];
  const broken = new Set(ofBranch.filter(isBroken).map(({ id }) => id));
  return { checks, isQuiet: (all) => !ofBranch.some(isAtWork) && !all.some(isOpen(elsewhere)), broken };
}

/** GitHub could run no job of it, because its file is not valid, for example. */
function isBroken({ isWorkflow, conclusion, checks }: Suite): boolean {
  return isWorkflow && checks === 0 && (conclusion === "failure" || conclusion === "startup_failure");
}

/**
 * A workflow run that is not over, even if it has no jobs yet. GitHub also creates suites for other Apps that never report; for
 * those Apps, only check runs count.
 */
function isAtWork({ isWorkflow, status }: Suite): boolean {
  return isWorkflow && status !== "completed";
}

function isOpen(elsewhere: ReadonlySet<number>) {
  return ({ suiteId, status }: CheckFact) =>
    status !== "completed" && (suiteId === null || !elsewhere.has(suiteId));
}

function needsSuites(required: readonly RequiredCheck[], facts: readonly CheckFact[]): boolean {
  return required.some((check) => {
    const reports = facts.filter((fact) => isReportOf(fact, check));
    const suites = new Set(reports.map(({ suiteId }) => suiteId));
    const isFine = ({ status, conclusion }: CheckFact) =>
      status !== "completed" || (conclusion !== null && passing.has(conclusion));
    return suites.size !== 1 || !reports.every(isFine);
  });
}

const passing: ReadonlySet<string> = new Set(["success", "neutral", "skipped"]);

export function isReportOf(fact: CheckFact, { name, appId }: RequiredCheck): boolean {
  return fact.name === name && (appId === null || fact.appId === appId);
}

function cancelledBeforeTheirJobs(
  required: readonly RequiredCheck[],
  counted: readonly CheckFact[],
  ofBranch: readonly Suite[],
): CheckFact[] {
  const missing = required.filter((check) => !counted.some((fact) => isReportOf(fact, check)));
  return missing.flatMap(({ name, appId }): CheckFact[] => {
    const own = ofBranch.filter((suite) => suite.isWorkflow && (appId === null || suite.appId === appId));
    const cancelled = own.find(({ checks, conclusion }) => checks === 0 && conclusion === "cancelled");
    if (!cancelled || own.some(({ status }) => status !== "completed")) return [];
    const { id, appId: by } = cancelled;
    const state = { status: "completed", conclusion: "cancelled", url: null } as const;
    return [{ kind: "check_run", name, appId: by, suiteId: id, id, ...state }];
  });
}

async function readSuites({ octokit, at }: RepositoryApi, ref: string): Promise<Suite[]> {
  const suites = await octokit.paginate(octokit.rest.checks.listSuitesForRef, { ...at, ref, per_page: 100 });
  return suites.map((suite) => ({
    id: suite.id,
    branch: suite.head_branch,
    appId: suite.app?.id ?? null,
    isWorkflow: suite.app?.slug === "github-actions",
    status: suite.status,
    conclusion: suite.conclusion,
    checks: suite.latest_check_runs_count,
  }));
}
