import * as z from "zod";
import { askGraphql } from "../client/ask-graphql.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

const query = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) { autoMergeRequest { enabledAt } } }
}`;
const request = z.object({ enabledAt: z.iso.datetime({ offset: true }).nullable() }).nullable();
const shape = z.object({ repository: z.object({ pullRequest: z.object({ autoMergeRequest: request }) }) });

/** Only GraphQL returns the time. REST only returns who enabled it. */
export async function autoMergeEnabledAt(
  { octokit, at: { owner, repo } }: RepositoryApi,
  number: number,
): Promise<number | null> {
  const { repository } = await askGraphql(octokit, query, { owner, repo, number }, shape);
  const { autoMergeRequest } = repository.pullRequest;
  return autoMergeRequest?.enabledAt ? Date.parse(autoMergeRequest.enabledAt) : null;
}
