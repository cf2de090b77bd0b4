import * as z from "zod";
import { askGraphql } from "../client/ask-graphql.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

const shape = z.object({ repository: z.record(z.string(), z.object({ oid: z.string() }).nullable()) });

/**
 * Returns the paths that a merge of the head into the branch changes. Compares the ids of the objects at the paths, so none is
 * missed, regardless of how many files the head changes. A path that is the same as on the branch does not change, even if the head
 * left the branch long ago. https://docs.github.com/en/graphql/reference/objects#repository
 */
export async function changedBetween(
  { octokit, at }: RepositoryApi,
  branch: string,
  head: string,
  paths: readonly string[],
): Promise<string[]> {
  const basehead = `${branch}...${head}`;
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...at, basehead, per_page: 1 });
  const commits = [head, data.base_commit.sha, data.merge_base_commit.sha];
  const expressions = paths.flatMap((path) => commits.map((commit) => `${commit}:${path}`));
  const names = expressions.map((_, index) => `o${index}`);
  const asked = names.map((name) => `${name}: object(expression: $${name}) { oid }`);
  const declared = names.map((name) => `$${name}: String!`);
  const query = `query ($owner: String!, $repo: String!, ${declared.join(", ")}) {
    repository(owner: $owner, name: $repo) { ${asked.join(" ")} }
  }`;
  const variables = Object.fromEntries(names.map((name, index) => [name, expressions[index]]));
  const { repository } = await askGraphql(octokit, query, { ...at, ...variables }, shape);
  return paths.filter((_, index) => {
    const [ours, base, mergeBase] = [0, 1, 2].map((offset) => repository[`o${3 * index + offset}`]?.oid);
    return ours !== base && ours !== mergeBase;
  });
}
