import type { NamedCheck, Reports } from "../../ports/code-host/doctor-facts.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

const maxTested = 2;
const maxHeads = 3;

/** This App's reports on the base say nothing about test branches: a workflow may run for one and not for the other. */
const actions = "github-actions";

interface Report extends NamedCheck {
  readonly isOfActions: boolean;
}

/** The reports on the test branches for which workflows ran last, and those on the base's tip by Apps other than GitHub Actions. */
export async function readPushed(api: RepositoryApi, branch: string, testPrefix: string): Promise<Reports> {
  const { data } = await api.octokit.rest.actions.listWorkflowRunsForRepo({
    ...api.at,
    event: "push",
    per_page: 50,
  });
  const tested = data.workflow_runs
    .filter(({ head_branch }) => head_branch?.startsWith(testPrefix))
    .map(({ head_sha }) => head_sha);
  const [onBase, onTests] = await Promise.all([
    readReportsOn(api, branch),
    readReports(api, [...new Set(tested)].slice(0, maxTested)),
  ]);
  const ofOthers = (onBase ?? []).filter(({ isOfActions }) => !isOfActions);
  return { commits: onTests.commits, checks: distinct([...onTests.checks, ...ofOthers]) };
}

/** The reports on the heads of the pull requests into a branch that changed last. */
export async function readHeads(api: RepositoryApi, base: string): Promise<Reports> {
  const last = { state: "all", sort: "updated", direction: "desc", per_page: maxHeads } as const;
  const { data } = await api.octokit.rest.pulls.list({ ...api.at, base, ...last });
  return readReports(api, [...new Set(data.map(({ head }) => head.sha))]);
}

async function readReports(api: RepositoryApi, refs: readonly string[]): Promise<Reports> {
  const all = await Promise.all(refs.map((ref) => readReportsOn(api, ref)));
  const read = all.filter((checks) => checks !== null);
  return { commits: read.length, checks: distinct(read.flat()) };
}

/** The first 100 check runs and statuses; null: the commit does not exist any more. */
async function readReportsOn({ octokit, at }: RepositoryApi, ref: string): Promise<Report[] | null> {
  try {
    const [runs, statuses] = await Promise.all([
      octokit.rest.checks.listForRef({ ...at, ref, per_page: 100 }),
      octokit.rest.repos.getCombinedStatusForRef({ ...at, ref, per_page: 100 }),
    ]);
    return [
      ...runs.data.check_runs.map(({ name, app }) => ({
        name,
        appId: app?.id ?? null,
        isOfActions: app?.slug === actions,
      })),
      ...statuses.data.statuses.map(({ context }) => ({ name: context, appId: null, isOfActions: false })),
    ];
  } catch (error) {
    const status = statusOf(error);
    if (status === 404 || status === 422) return null;
    throw error;
  }
}

function distinct(checks: readonly NamedCheck[]): NamedCheck[] {
  const byKey = checks.map(({ name, appId }) => [`${appId} ${name}`, { name, appId }] as const);
  return [...new Map(byKey).values()];
}
