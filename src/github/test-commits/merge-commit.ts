import * as z from "zod";
import { askGraphql } from "../client/ask-graphql.ts";
import { CodeHostError } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

const query = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) { mergeCommit { oid } } }
}`;
const commit = z.object({ oid: z.string() }).nullable();
const shape = z.object({ repository: z.object({ pullRequest: z.object({ mergeCommit: commit }) }) });

/**
 * The commit that merged a pull request into its base; for a rebase, the last one. REST version 2026-03-10 omits it from pull
 * requests, so GraphQL is asked. https://docs.github.com/en/rest/about-the-rest-api/breaking-changes
 */
export async function readMergeCommit(
  { octokit, at: { owner, repo } }: RepositoryApi,
  pull: { readonly number: number; readonly merge_commit_sha?: string | null },
): Promise<string> {
  if (pull.merge_commit_sha) return pull.merge_commit_sha;
  const { number } = pull;
  const { repository } = await askGraphql(octokit, query, { owner, repo, number }, shape);
  const { mergeCommit } = repository.pullRequest;
  if (mergeCommit === null)
    throw new CodeHostError("unavailable", `GitHub does not name the merge commit of #${number} yet`);
  return mergeCommit.oid;
}
