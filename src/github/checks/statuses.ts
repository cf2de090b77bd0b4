import type { Octokit } from "@octokit/rest";
import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import { nullIfNotFound, type RepositoryApi } from "../client/repository-api.ts";

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

/** The account that reported a commit status. */
export interface StatusCreator {
  readonly login: string;
  readonly type: string;
}

const suffix = "[bot]";

/** When an App that was not found is looked up again: during incidents, GitHub answers 404 for what exists. */
const absentMs = 10 * 60_000;

/**
 * Finds the Apps behind commit statuses, and remembers them. A status names the bot of its App, but a required check names the App's
 * id.
 */
export class StatusApps {
  /** By login. null: GitHub does not show us such an App. */
  readonly #ids = new Map<string, { readonly at: number; readonly id: Promise<number | null> }>();

  /** The id of the creator's App; null when it is not an App, or one that GitHub does not show us. */
  async idOf(octokit: Octokit, creator: StatusCreator | null): Promise<number | null> {
    if (creator?.type !== "Bot" || !creator.login.endsWith(suffix)) return null;
    const { login } = creator;
    const known = this.#ids.get(login);
    const found = await known?.id;
    if (known && (found || performance.now() - known.at < absentMs)) return found ?? null;
    const app_slug = login.slice(0, -suffix.length);
    const id = nullIfNotFound(octokit.rest.apps.getBySlug({ app_slug })).then((app) => app?.id ?? null);
    this.#ids.set(login, { at: performance.now(), id });
    id.catch(() => this.#ids.delete(login));
    return id;
  }
}
