import type { Octokit } from "@octokit/rest";
import type { CallBudget, ProtectionFact, RepositoryFact } from "../../ports/code-host/doctor-facts.ts";
import { namedChecks } from "../access/protection.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { Repository } from "../test-commits/branches.ts";

export async function readRepository(octokit: Octokit, at: Repository): Promise<RepositoryFact> {
  const { data } = await octokit.rest.repos.get({ ...at });
  return {
    url: data.html_url,
    defaultBranch: data.default_branch,
    allowMergeCommit: data.allow_merge_commit ?? null,
    allowSquashMerge: data.allow_squash_merge ?? null,
    allowRebaseMerge: data.allow_rebase_merge ?? null,
    allowAutoMerge: data.allow_auto_merge ?? null,
  };
}

export async function readProtection(
  octokit: Octokit,
  at: Repository,
  branch: string,
): Promise<ProtectionFact> {
  const { data } = await octokit.rest.repos.getBranch({ ...at, branch });
  const isProtected = data.protection.enabled === true;
  return {
    isProtected,
    details: isProtected ? await readDetails(octokit, at, branch) : null,
    required: namedChecks(data.protection.required_status_checks),
  };
}

/** Null: only Apps with the permission Administration can read them, and Trainyard does not request it. */
async function readDetails(
  octokit: Octokit,
  at: Repository,
  branch: string,
): Promise<ProtectionFact["details"]> {
  try {
    const { data } = await octokit.rest.repos.getBranchProtection({ ...at, branch });
    return {
      strict: data.required_status_checks?.strict ?? false,
      linearHistory: data.required_linear_history?.enabled ?? false,
    };
  } catch (error) {
    const status = statusOf(error);
    if (status === 403 || status === 404) return null;
    throw error;
  }
}

/** This call does not count against the budget. https://docs.github.com/en/rest/rate-limit/rate-limit */
export async function readBudget(octokit: Octokit): Promise<CallBudget | null> {
  try {
    const { core } = (await octokit.rest.rateLimit.get()).data.resources;
    return { limit: core.limit, remaining: core.remaining, resetAt: core.reset * 1000 };
  } catch (error) {
    // An Enterprise Server without limits answers "Rate limiting is not enabled."
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
