import { RequestError } from "@octokit/request-error";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

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
