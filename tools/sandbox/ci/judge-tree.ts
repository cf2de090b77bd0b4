import { isTree } from "../git/git-object.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { entriesBelow, entryAt } from "../git/tree-files.ts";
import { type FactFile, judgeFacts, type Verdict } from "./facts.ts";

/** The JSON files below `facts/` in a tree. */
export async function readFacts(git: GitRepository, tree: string): Promise<FactFile[]> {
  const directory = await entryAt(git, tree, "facts");
  if (directory === null || !isTree(directory)) return [];
  const entries = await entriesBelow(git, directory.sha, "facts/");
  const files = entries.filter(({ path, entry }) => !isTree(entry) && path.endsWith(".json"));
  return Promise.all(
    files.map(async ({ path, entry }) => {
      const blob = await git.readObject(entry.sha);
      return { path, content: blob?.content.toString("utf8") ?? "" };
    }),
  );
}

/** Returns the truth about a tree: the verdicts that CI reports for it, apart from flakes. */
export async function judgeTree(
  git: GitRepository,
  tree: string,
  checks: readonly string[],
): Promise<Map<string, Verdict>> {
  return judgeFacts(await readFacts(git, tree), checks);
}
