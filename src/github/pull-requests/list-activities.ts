import { RequestError } from "@octokit/request-error";
import type { Octokit } from "@octokit/rest";
import { statusOf } from "../client/code-host-error.ts";
import type { Repository } from "../test-commits/branches.ts";

/** Reads the last pushes to a branch, the latest first. Older Enterprise Servers lack this endpoint. Elsewhere a 404 is an incident that passes. */
export async function listActivities(octokit: Octokit, at: Repository, ref: string, most = 1) {
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
