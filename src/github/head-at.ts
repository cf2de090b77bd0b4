import { RequestError } from "@octokit/request-error";
import type { Octokit } from "@octokit/rest";
import type { HeadRecord, SaidAt } from "../ports/code-host.ts";
import type { Repository } from "./branches.ts";
import { statusOf } from "./code-host-error.ts";

/**
 * What GitHub has recorded of the pushes to a pull request's branch, by its own clock. Dates of commits, which their authors
 * choose, and checks, which are of a commit and not of a pull request, prove nothing.
 */
export async function headAt(
  octokit: Octokit,
  at: Repository,
  pull_number: number,
  { at: time, by }: SaidAt,
): Promise<HeadRecord> {
  const { data: pull } = await octokit.rest.pulls.get({ ...at, pull_number });
  // The branch of a fork is recorded in the fork, where the App is not installed.
  if (pull.head.repo?.id !== pull.base.repo.id) return { kind: "unknown" };
  const ref = `refs/heads/${pull.head.ref}`;
  const [last] = await listActivities(octokit, at, ref);
  const { sha } = pull.head;
  if (last?.after !== sha) return { kind: "unknown" };
  const pushedAt = Date.parse(last.timestamp);
  const given = Math.floor(time / 1000) * 1000;
  // In the same second: a branch is made before its pull request is opened, and people know what they have pushed themselves.
  const isKnown =
    last.activity_type === "branch_creation" || last.actor?.login.toLowerCase() === by.toLowerCase();
  if (pushedAt < given || (pushedAt === given && isKnown)) return { kind: "proven", sha };
  return pushedAt > given ? { kind: "pushed_since", sha } : { kind: "unknown" };
}

/** Older Enterprise Servers have no such list. Elsewhere a 404 is an incident, and passes. */
async function listActivities(octokit: Octokit, at: Repository, ref: string) {
  try {
    return (await octokit.rest.repos.listActivities({ ...at, ref, per_page: 1 })).data;
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
