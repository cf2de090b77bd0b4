import type { CheckFact, RequiredCheck } from "../../engine/model/checks/required-checks.ts";
import type { CheckReading } from "../../ports/code-host/checks.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { isReportOf, readBranch } from "./check-suites.ts";
import type { StatusApps } from "./status-apps.ts";
import { readStatuses, readStatusesOfApps } from "./statuses.ts";

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
  return { checks: reading.checks, isQuiet: isMissing && reading.isQuiet(all) };
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
    ...(run.completed_at === null ? {} : { completedAt: Date.parse(run.completed_at) }),
  }));
}
