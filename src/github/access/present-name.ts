import { orNull } from "../client/or-null.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

/**
 * Returns the name that a branch has now. GitHub's branch endpoint follows a renamed branch to its new name.
 *
 * @param branch the name, or a former one
 * @returns null when there is no such branch
 */
export async function presentName({ octokit, at }: RepositoryApi, branch: string): Promise<string | null> {
  return (await orNull(octokit.rest.repos.getBranch({ ...at, branch })))?.name ?? null;
}
