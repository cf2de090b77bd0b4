import type { RepositoryPermission } from "../../ports/code-host/code-host.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

const known: ReadonlySet<string> = new Set<RepositoryPermission>(["admin", "write", "read", "none"]);

/**
 * Reads a user's permission each time. Throws `not_found` for an account that does not exist: during incidents, GitHub gives this
 * answer for existing users as well, who must not be refused because of it.
 */
export async function permissionOf(
  { octokit, at }: RepositoryApi,
  username: string,
): Promise<RepositoryPermission> {
  const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...at, username });
  return known.has(data.permission) ? (data.permission as RepositoryPermission) : "none";
}
