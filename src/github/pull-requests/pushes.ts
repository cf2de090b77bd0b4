import { RequestError } from "@octokit/request-error";
import { isSameName } from "../../engine/model/names.ts";
import type { HeadRecord, Pusher, SaidAt } from "../../ports/code-host/pull-requests.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

/**
 * Reads GitHub's record of the pushes to a pull request's branch, by GitHub's own clock. Dates of commits prove nothing, because
 * their authors choose them. Checks prove nothing, because they belong to a commit and not to a pull request.
 */
export async function headAt(
  api: RepositoryApi,
  pull_number: number,
  { at: time, by, beginning }: SaidAt,
): Promise<HeadRecord> {
  const { data: pull } = await api.octokit.rest.pulls.get({ ...api.at, pull_number });
  // Pushes to a fork are recorded in the fork, where the App is not installed.
  if (pull.head.repo?.id !== pull.base.repo.id) return { kind: "unknown" };
  const ref = `refs/heads/${pull.head.ref}`;
  const most = beginning === undefined ? 1 : 100;
  const pushes = await listActivities(api, ref, most);
  const [last] = pushes;
  const { sha } = pull.head;
  if (last?.after !== sha) return { kind: "unknown" };
  if (beginning !== undefined) {
    const meant = pushes.filter(({ after }) => after !== sha && after.startsWith(beginning));
    if (meant.length > 0 || pushes.length === most) return { kind: "unknown" };
  }
  const pushedAt = Date.parse(last.timestamp);
  const given = Math.floor(time / 1000) * 1000;
  // Within the same second: a branch is created before its pull request is opened, and users know what they have pushed themselves.
  const isKnown = last.activity_type === "branch_creation" || isSameName(last.actor?.login, by);
  if (pushedAt < given || (pushedAt === given && isKnown)) return { kind: "proven", sha };
  return pushedAt > given ? { kind: "pushed_since", sha } : { kind: "unknown" };
}

/** Reads the last pushes to a branch, the latest first. Older Enterprise Servers lack this endpoint. Elsewhere a 404 is an incident that passes. */
export async function listActivities({ octokit, at }: RepositoryApi, ref: string, most = 1) {
  try {
    return (await octokit.rest.repos.listActivities({ ...at, ref, per_page: most })).data;
  } catch (error) {
    if (statusOf(error) === 404 && isEnterpriseServer(error)) return [];
    throw error;
  }
}

function isEnterpriseServer(error: unknown): boolean {
  return (
    error instanceof RequestError && error.response?.headers["x-github-enterprise-version"] !== undefined
  );
}

export async function pusherOf(api: RepositoryApi, branch: string, sha: string): Promise<Pusher | null> {
  const [last] = await listActivities(api, `refs/heads/${branch}`);
  if (last?.after !== sha || !last.actor) return null;
  const { login, id, type } = last.actor;
  return { login, id, isPerson: type === "User" };
}
