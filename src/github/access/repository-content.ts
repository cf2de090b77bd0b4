import { createHash } from "node:crypto";
import { GraphqlResponseError } from "@octokit/graphql";
import * as z from "zod";
import { askGraphql } from "../client/ask-graphql.ts";
import { CodeHostError, statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

const oneObjectShape = z.object({
  repository: z.object({ one: z.object({ oid: z.string() }).nullable() }),
});

/** The text of a file at a branch or commit, or on the default branch (`ref` null); null when it does not exist, or is not a file. */
export async function readFile(api: RepositoryApi, ref: string | null, path: string): Promise<string | null> {
  try {
    const { data } = await api.octokit.rest.repos.getContent({
      ...api.at,
      path,
      ...(ref === null ? {} : { ref }),
    });
    if (Array.isArray(data) || data.type !== "file") return null;
    const { sha } = data;
    // GitHub does not return the content of a file of more than a megabyte.
    const isTold = "content" in data && data.encoding === "base64";
    const content = isTold
      ? data.content
      : (await api.octokit.rest.git.getBlob({ ...api.at, file_sha: sha })).data.content;
    return wholeText(Buffer.from(content, "base64"), sha, path);
  } catch (error) {
    if (statusOf(error) === 404 && (await isAbsent(api, ref ?? "HEAD", path))) return null;
    throw error;
  }
}

const oneObject = `query ($owner: String!, $repo: String!, $one: String!) {
  repository(owner: $owner, name: $repo) { one: object(expression: $one) { oid } }
}`;

/** During incidents, GitHub answers 404 for existing files. A queue that believed this would lose the rules in its file. */
async function isAbsent(api: RepositoryApi, ref: string, path: string): Promise<boolean> {
  try {
    const variables = { ...api.at, one: `${ref}:${path}` };
    const { repository } = await askGraphql(api.octokit, oneObject, variables, oneObjectShape);
    return repository.one === null;
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    return isAbsentFromTree(api, ref, path);
  }
}

/** The directory in which the file would be exists and lacks it, or a directory above. */
async function isAbsentFromTree({ octokit, at }: RepositoryApi, ref: string, path: string): Promise<boolean> {
  let tree_sha = ref;
  for (const name of path.split("/")) {
    const { data } = await octokit.rest.git.getTree({ ...at, tree_sha });
    const entry = data.tree.find((one) => one.path === name);
    if (!entry) return !data.truncated;
    tree_sha = entry.sha;
  }
  return false;
}

/** Checks the hash: a truncated file would be read as another file. */
function wholeText(content: Buffer, sha: string, path: string): string {
  const hash = createHash(sha.length === 40 ? "sha1" : "sha256");
  if (hash.update(`blob ${content.length}\0`).update(content).digest("hex") !== sha)
    throw new CodeHostError(
      "unavailable",
      `GitHub's answer to ${path} is damaged (it is not what its hash says)`,
    );
  return content.toString("utf8");
}

/** The paths that a pull request changes, including the old names of renamed files. GitHub lists at most 3,000 files. */
export async function changedPaths({ octokit, at }: RepositoryApi, pull_number: number): Promise<string[]> {
  const files = await octokit.paginate(octokit.rest.pulls.listFiles, { ...at, pull_number, per_page: 100 });
  return files.flatMap(({ filename, previous_filename }) =>
    previous_filename === undefined ? [filename] : [filename, previous_filename],
  );
}
