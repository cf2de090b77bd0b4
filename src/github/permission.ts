import type { Octokit } from "@octokit/rest";
import type { RepositoryPermission } from "../ports/code-host.ts";
import type { Repository } from "./branches.ts";

const known: ReadonlySet<string> = new Set<RepositoryPermission>(["admin", "write", "read", "none"]);

/**
 * Read afresh each time. Throws `not_found` for an account that is gone: GitHub's incidents say the same of people who are there, and
 * nobody is to be refused for that.
 */
export async function permissionOf(
  octokit: Octokit,
  at: Repository,
  username: string,
): Promise<RepositoryPermission> {
  const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...at, username });
  return known.has(data.permission) ? (data.permission as RepositoryPermission) : "none";
}
