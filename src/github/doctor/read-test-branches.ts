import type { PushedBranch } from "../../ports/code-host/doctor-facts.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { listBranches } from "../test-commits/branches.ts";

const maxBranches = 5;

/** Some of the branches with the prefix of test branches, and the users that pushed them. */
export async function readTestBranches(api: RepositoryApi, prefix: string): Promise<PushedBranch[]> {
  const names = (await listBranches(api, prefix)).slice(0, maxBranches);
  return Promise.all(names.map(async (name) => ({ name, by: await pusherOf(api, name) })));
}

async function pusherOf({ octokit, at }: RepositoryApi, branch: string): Promise<string | null> {
  try {
    const ref = `refs/heads/${branch}`;
    const { data } = await octokit.rest.repos.listActivities({ ...at, ref, per_page: 1 });
    return data[0]?.actor?.login ?? null;
  } catch (error) {
    // The branch was removed meanwhile, or this server keeps no such record.
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
