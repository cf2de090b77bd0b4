import { createHash } from "node:crypto";
import { GraphqlResponseError } from "@octokit/graphql";
import * as z from "zod";
import {
  repositoryFilePaths,
  resemblesRepositoryFile,
  searchedDirectories,
} from "../../command/repository-file.ts";
import type { FoundRepositoryFile } from "../../ports/code-host/code-host.ts";
import { CodeHostError, NotFoundByReading, statusOf } from "../client/code-host-error.ts";
import { askObjects, type RepositoryApi } from "../client/repository-api.ts";

const entries = z.array(z.object({ name: z.string(), type: z.string(), oid: z.string() }));
const tree = z.object({ entries: entries.nullish() });
type Entries = z.infer<typeof entries>;

/** The hash of each file that is the repository's file or resembles it, by path; null when the commit or branch is not found. */
type Found = ReadonlyMap<string, string> | null;

/**
 * Reads the repository's file, and finds files that resemble it. A call to GraphQL, which has a budget of its own, and one to REST if there
 * is a file. A file counts as absent only if the listing of its directory lacks it: during incidents, GitHub answers 404 for existing
 * files, and a queue that believed this would lose the rules in its file.
 */
export async function readRepositoryFile(api: RepositoryApi, ref: string): Promise<FoundRepositoryFile> {
  const [found] = await findFiles(api, [ref]);
  if (!found) throw new NotFoundByReading(`GitHub does not find ${ref}`);
  const path = repositoryFilePaths.find((one) => found.has(one)) ?? null;
  const text = path === null ? null : await readFile(api, ref, path);
  if (path !== null && text === null)
    throw new CodeHostError("unavailable", `GitHub lists ${path}, but does not find it`);
  return { path, text, strays: [...found.keys()].filter((one) => one !== path) };
}

/**
 * Whether two commits or branches have the same repository file, and the same files that resemble it. Takes one call to GraphQL, because
 * this is asked for every head of every pull request.
 */
export async function isSameRepositoryFile(
  api: RepositoryApi,
  refs: readonly [string, string],
): Promise<boolean> {
  const [one, other] = await findFiles(api, refs);
  const listed = (found: Found = null) => JSON.stringify([...(found ?? [])]);
  return listed(one) === listed(other);
}

async function findFiles(api: RepositoryApi, refs: readonly string[]): Promise<Found[]> {
  const wanted = refs.flatMap((ref) => searchedDirectories.map((directory) => `${ref}:${directory}`));
  try {
    const listings = await askObjects(api, wanted, "... on Tree { entries { name type oid } }", tree);
    const found = refs.map(async (ref, index) => {
      const from = index * searchedDirectories.length;
      const [root, ...others] = listings.slice(from, from + searchedDirectories.length);
      if (!root?.entries) return null;
      // A directory that the root lists is not absent: without its entries, the answer is incomplete.
      const isIncomplete = searchedDirectories
        .slice(1)
        .some((name, place) => !others[place]?.entries && directoryIn(root.entries ?? [], name));
      if (isIncomplete) return findFilesByRest(api, ref);
      return filesIn([root.entries, ...others.map((one) => one?.entries ?? [])]);
    });
    return await Promise.all(found);
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    return Promise.all(refs.map((ref) => findFilesByRest(api, ref)));
  }
}

async function findFilesByRest(api: RepositoryApi, ref: string): Promise<Found> {
  const root = await listTree(api, ref);
  const others = searchedDirectories.slice(1).map(async (name) => {
    const directory = directoryIn(root, name);
    return directory ? listTree(api, directory.oid) : [];
  });
  return filesIn([root, ...(await Promise.all(others))]);
}

const directoryIn = (root: Entries, name: string) =>
  root.find((entry) => entry.name === name && entry.type === "tree");

async function listTree({ octokit, at }: RepositoryApi, tree_sha: string): Promise<Entries> {
  const { data } = await octokit.rest.git.getTree({ ...at, tree_sha });
  if (data.truncated) throw new CodeHostError("unavailable", `GitHub lists only a part of ${tree_sha}`);
  return data.tree.map(({ path, type, sha }) => ({ name: path, type, oid: sha }));
}

/** @param listings the content of each of the searched directories */
function filesIn(listings: readonly Entries[]): ReadonlyMap<string, string> {
  const files = listings.flatMap((listing, index) => {
    const directory = searchedDirectories[index] ?? "";
    return listing
      .filter(({ type }) => type === "blob")
      .map(({ name, oid }): [string, string] => [directory === "" ? name : `${directory}/${name}`, oid]);
  });
  return new Map(files.filter(([path]) => resemblesRepositoryFile(path)));
}

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

/** During incidents, GitHub answers 404 for existing files. A queue that believed this would lose the rules in its file. */
async function isAbsent(api: RepositoryApi, ref: string, path: string): Promise<boolean> {
  try {
    const [found] = await askObjects(api, [`${ref}:${path}`], "oid", z.object({ oid: z.string() }));
    return found === null;
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    return isAbsentFromTree(api, ref, path);
  }
}

/** Whether a directory on the path exists and lacks the next part of the path. */
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

/** Checks the hash, because a truncated file could be parsed without an error. */
function wholeText(content: Buffer, sha: string, path: string): string {
  const hash = createHash(sha.length === 40 ? "sha1" : "sha256");
  if (hash.update(`blob ${content.length}\0`).update(content).digest("hex") !== sha)
    throw new CodeHostError(
      "unavailable",
      `GitHub's answer to ${path} is damaged (it is not what its hash says)`,
    );
  return content.toString("utf8");
}

export async function changedPaths({ octokit, at }: RepositoryApi, pull_number: number): Promise<string[]> {
  const files = await octokit.paginate(octokit.rest.pulls.listFiles, { ...at, pull_number, per_page: 100 });
  return files.flatMap(({ filename, previous_filename }) =>
    previous_filename === undefined ? [filename] : [filename, previous_filename],
  );
}
