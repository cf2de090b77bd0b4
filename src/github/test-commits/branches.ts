import { GraphqlResponseError } from "@octokit/graphql";
import * as z from "zod";
import { messageOf, statusOf } from "../client/code-host-error.ts";
import { askGraphql, nullIfNotFound, type RepositoryApi } from "../client/repository-api.ts";

/** The commit at the tip of a branch, with the tree that a merge must be compared with. */
export interface Tip {
  readonly sha: string;
  readonly treeSha: string;
}

const tipQuery = {
  variables: "$tip: String!",
  fields: "object(expression: $tip) { oid ... on Commit { tree { oid } } }",
  shape: z.object({ object: z.object({ oid: z.string(), tree: z.object({ oid: z.string() }) }).nullable() }),
};

/**
 * Reads the tip of a branch; null when there is no such branch. Uses GraphQL, which has a budget of its own: each merge by the API
 * needs two of these readings. If GraphQL refuses, uses REST. https://docs.github.com/en/graphql/reference/objects#repository
 */
export async function readTip(api: RepositoryApi, branch: string): Promise<Tip | null> {
  try {
    const { object } = await askGraphql(api, tipQuery, { tip: `refs/heads/${branch}` });
    return object && { sha: object.oid, treeSha: object.tree.oid };
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    return readTipByRest(api, branch);
  }
}

async function readTipByRest({ octokit, at }: RepositoryApi, branch: string): Promise<Tip | null> {
  const found = await nullIfNotFound(octokit.rest.repos.getBranch({ ...at, branch }));
  return found && { sha: found.commit.sha, treeSha: found.commit.commit.tree.sha };
}

export async function readTree({ octokit, at }: RepositoryApi, sha: string): Promise<string> {
  const { data } = await octokit.rest.git.getCommit({ ...at, commit_sha: sha });
  return data.tree.sha;
}

export async function readRef({ octokit, at }: RepositoryApi, branch: string): Promise<string | null> {
  return (
    (await nullIfNotFound(octokit.rest.git.getRef({ ...at, ref: `heads/${branch}` })))?.object.sha ?? null
  );
}

/** Makes a branch point at a commit, regardless of where it pointed before. Only for branches of our own. */
export async function forceBranch(
  { octokit, at }: RepositoryApi,
  branch: string,
  sha: string,
  exists: boolean,
): Promise<void> {
  const update = () => octokit.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha, force: true });
  const create = () => octokit.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha });
  try {
    await (exists ? update() : create());
  } catch (error) {
    if (statusOf(error) !== 422) throw error;
    if (exists && /does not exist/i.test(messageOf(error))) await create();
    else if (!exists && /already exists/i.test(messageOf(error))) await update();
    else throw error;
  }
}

export async function removeBranch({ octokit, at }: RepositoryApi, branch: string): Promise<void> {
  try {
    await octokit.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
  } catch (error) {
    // GitHub answers 422 "Reference does not exist" for a branch that is gone.
    if (statusOf(error) !== 404 && !(statusOf(error) === 422 && /does not exist/i.test(messageOf(error))))
      throw error;
  }
}

/** Returns the branches that exclude this one: git has no branch above or below the name of another one. */
export async function findObstacles(api: RepositoryApi, branch: string): Promise<string[]> {
  const parts = branch.split("/");
  const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
  const tips = await Promise.all(above.map((name) => readRef(api, name)));
  const found = above.filter((_, index) => tips[index] !== null);
  return [...found, ...(await listBranches(api, `${branch}/`))];
}

export async function listBranches({ octokit, at }: RepositoryApi, prefix: string): Promise<string[]> {
  const refs = await octokit.paginate(octokit.rest.git.listMatchingRefs, { ...at, ref: `heads/${prefix}` });
  return refs.map(({ ref }) => ref.replace(/^refs\/heads\//, ""));
}

/**
 * Returns the name that a branch has now. GitHub's branch endpoint follows a renamed branch to its new name.
 *
 * @param branch the name, or a former one
 * @returns null when there is no such branch
 */
export async function currentBranchName(
  { octokit, at }: RepositoryApi,
  branch: string,
): Promise<string | null> {
  return (await nullIfNotFound(octokit.rest.repos.getBranch({ ...at, branch })))?.name ?? null;
}
