import type { Octokit } from "@octokit/rest";
import type { RepositoryPermission } from "../ports/code-host.ts";
import type { Repository } from "./branches.ts";
import { statusOf } from "./code-host-error.ts";

const known: ReadonlySet<string> = new Set<RepositoryPermission>(["admin", "write", "read", "none"]);

/** Read afresh each time. An account that is gone has none. */
export async function permissionOf(
  octokit: Octokit,
  at: Repository,
  username: string,
): Promise<RepositoryPermission> {
  try {
    const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...at, username });
    return known.has(data.permission) ? (data.permission as RepositoryPermission) : "none";
  } catch (error) {
    if (statusOf(error) === 404 && !(await exists(octokit, username))) return "none";
    throw error;
  }
}

async function exists(octokit: Octokit, username: string): Promise<boolean> {
  try {
    await octokit.rest.users.getByUsername({ username });
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
