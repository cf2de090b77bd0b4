import { matchesGlob } from "node:path";
import { isTree } from "../git/git-object.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { changedPaths, entryAt } from "../git/tree-files.ts";
import type { PullRequest } from "./pull-request.ts";

const places = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/**
 * The owners of each changed file that has any, by the CODEOWNERS file of the base: logins in small letters. The last line that matches
 * counts. Teams and addresses are not known.
 * https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
 */
export async function ownersOfChanges(pull: PullRequest): Promise<string[][]> {
  const { git } = pull.repository;
  const tip = pull.repository.branch(pull.base.ref);
  if (tip === null) return [];
  const lines = await readOwners(git, tip);
  if (lines.length === 0) return [];
  const { mergeBase } = await git.graph.divergence(tip, pull.head.sha);
  const head = await git.commit(pull.head.sha);
  const changes = await changedPaths(git, mergeBase?.tree ?? null, head?.tree ?? null);
  const paths = [...changes.added, ...changes.modified, ...changes.removed];
  return paths
    .map((path) => lines.findLast(({ pattern }) => owns(pattern, path))?.owners ?? [])
    .filter((owners) => owners.length > 0);
}

async function readOwners(
  git: GitRepository,
  commit: string,
): Promise<{ pattern: string; owners: string[] }[]> {
  const tree = (await git.commit(commit))?.tree ?? "";
  for (const place of places) {
    const entry = await entryAt(git, tree, place);
    if (entry === null || isTree(entry)) continue;
    const text = (await git.readObject(entry.sha))?.content.toString("utf8") ?? "";
    return text.split("\n").flatMap((line) => {
      const [pattern = "", ...owners] = (line.split("#")[0] ?? "").trim().split(/\s+/);
      return pattern === "" ? [] : [{ pattern, owners: owners.map((owner) => owner.slice(1).toLowerCase()) }];
    });
  }
  return [];
}

/** As in a gitignore file: without a slash inside anywhere, with one at the end everything below. */
function owns(pattern: string, path: string): boolean {
  const anchored = pattern.replace(/\/$/, "").includes("/");
  const bare = pattern.replace(/^\//, "");
  const glob = `${anchored ? "" : "**/"}${bare.endsWith("/") ? `${bare}**` : bare}`;
  return matchesGlob(path, glob) || (anchored && bare === path);
}
