import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import type { StatusApps } from "./status-apps.ts";

const pageSize = 100;

interface Status {
  readonly id: number;
  readonly context: string;
  readonly state: string;
  readonly target_url: string | null;
  readonly updated_at: string;
}

/** The latest status of each name on a commit, without the account that reported it. */
export async function readStatuses(api: RepositoryApi, ref: string): Promise<CheckFact[]> {
  const first = await readPage(api, ref, 1);
  const pages = [first];
  for (let page = 2; (page - 1) * pageSize < first.total_count; page++)
    pages.push(await readPage(api, ref, page));
  return pages.flatMap(({ statuses }) => statuses.map((status) => toFact(status, null)));
}

/** The latest status of each name and App on a commit, for some names. */
export async function readStatusesOfApps(
  { octokit, at }: RepositoryApi,
  ref: string,
  names: ReadonlySet<string>,
  apps: StatusApps,
): Promise<CheckFact[]> {
  const all = await octokit.paginate(octokit.rest.repos.listCommitStatusesForRef, {
    ...at,
    ref,
    per_page: pageSize,
  });
  const latest = new Map<string, CheckFact>();
  for (const status of all.filter(({ context }) => names.has(context))) {
    const appId = await apps.idOf(octokit, status.creator);
    const key = `${appId ?? ""} ${status.context}`;
    if (appId !== null && (latest.get(key)?.id ?? 0) < status.id) latest.set(key, toFact(status, appId));
  }
  return [...latest.values()];
}

async function readPage({ octokit, at }: RepositoryApi, ref: string, page: number) {
  const asked = { ...at, ref, per_page: pageSize, ...(page > 1 ? { page } : {}) };
  return (await octokit.rest.repos.getCombinedStatusForRef(asked)).data;
}

function toFact(
  { id, context, state, target_url: url, updated_at }: Status,
  appId: number | null,
): CheckFact {
  const isPending = state === "pending";
  return {
    kind: "status",
    name: context,
    appId,
    suiteId: null,
    id,
    status: isPending ? "in_progress" : "completed",
    conclusion: isPending ? null : state,
    url,
    ...(isPending ? {} : { completedAt: Date.parse(updated_at) }),
  };
}
