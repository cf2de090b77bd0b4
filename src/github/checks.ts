import type { Octokit } from "@octokit/rest";
import type { CheckFact, RequiredCheck } from "../engine/required-checks.ts";
import type { Repository } from "./branches.ts";
import { checksOfBranch } from "./check-suites.ts";

const pageSize = 100;

/**
 * The check runs and statuses of a commit, or what reports on it for a branch. A status belongs to no branch. Statuses are read only where one could count: a check that is bound to an App is
 * satisfied by that App's check runs alone.
 */
export async function readChecks(
  octokit: Octokit,
  at: Repository,
  ref: string,
  required: readonly RequiredCheck[],
  branch: string | null = null,
): Promise<CheckFact[]> {
  const names = new Set(required.map(({ name }) => name));
  const runs = await octokit.paginate(octokit.rest.checks.listForRef, {
    ...at,
    ref,
    filter: "latest",
    per_page: pageSize,
  });
  const facts = runs.map(
    (run): CheckFact => ({
      kind: "check_run",
      name: run.name,
      appId: run.app?.id ?? null,
      suiteId: run.check_suite?.id ?? null,
      id: run.id,
      status: run.status,
      conclusion: run.conclusion,
      url: run.html_url,
    }),
  );
  const statuses = required.some(({ appId }) => appId === null) ? await readStatuses(octokit, at, ref) : [];
  const found = [...facts, ...statuses].filter(({ name }) => names.has(name));
  return branch === null ? found : [...(await checksOfBranch(octokit, at, ref, branch, required, found))];
}

async function readStatuses(octokit: Octokit, at: Repository, ref: string): Promise<CheckFact[]> {
  const first = await readStatusPage(octokit, at, ref, 1);
  const pages = [first];
  for (let page = 2; (page - 1) * pageSize < first.total_count; page++)
    pages.push(await readStatusPage(octokit, at, ref, page));
  return pages.flatMap(({ statuses }) =>
    statuses.map(
      (status): CheckFact => ({
        kind: "status",
        name: status.context,
        appId: null,
        suiteId: null,
        id: status.id,
        status: status.state === "pending" ? "in_progress" : "completed",
        conclusion: status.state === "pending" ? null : status.state,
        url: status.target_url,
      }),
    ),
  );
}

async function readStatusPage(octokit: Octokit, at: Repository, ref: string, page: number) {
  const asked = { ...at, ref, per_page: pageSize, ...(page > 1 ? { page } : {}) };
  return (await octokit.rest.repos.getCombinedStatusForRef(asked)).data;
}
