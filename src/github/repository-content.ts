import type { Octokit } from "@octokit/rest";
import type { Repository } from "./branches.ts";
import { statusOf } from "./code-host-error.ts";

/** The text of a file at a branch or commit, or on the default branch; null when it is not there. */
export async function readFile(
  octokit: Octokit,
  at: Repository,
  ref: string | null,
  path: string,
): Promise<string | null> {
  try {
    const { data } = await octokit.rest.repos.getContent({
      ...at,
      path,
      ...(ref === null ? {} : { ref }),
      mediaType: { format: "raw" },
    });
    // With this media type a file is its text, which the types do not know; a directory is a list.
    return typeof data === "string" ? data : null;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

const twoObjects = `query ($owner: String!, $repo: String!, $one: String!, $other: String!) {
  repository(owner: $owner, name: $repo) { one: object(expression: $one) { oid } other: object(expression: $other) { oid } }
}`;

interface TwoObjects {
  readonly repository: Record<"one" | "other", { readonly oid: string } | null>;
}

/**
 * Whether a file is the same at two commits or branches, or at neither. By GraphQL, whose budget is its own: it is asked for every
 * head of every pull request.
 * https://docs.github.com/en/graphql/reference/objects#repository
 */
export async function isSameFile(
  octokit: Octokit,
  at: Repository,
  path: string,
  [one, other]: readonly [string, string],
): Promise<boolean> {
  const refs = { one: `${one}:${path}`, other: `${other}:${path}` };
  const { repository } = await octokit.graphql<TwoObjects>(twoObjects, { ...at, ...refs });
  return repository.one?.oid === repository.other?.oid;
}

/** The paths that a pull request changes, old names of what it renames included. GitHub tells 3,000 files at most. */
export async function changedPaths(octokit: Octokit, at: Repository, pull_number: number): Promise<string[]> {
  const files = await octokit.paginate(octokit.rest.pulls.listFiles, { ...at, pull_number, per_page: 100 });
  return files.flatMap(({ filename, previous_filename }) =>
    previous_filename === undefined ? [filename] : [filename, previous_filename],
  );
}
