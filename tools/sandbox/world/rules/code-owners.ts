import { matchesGlob } from "node:path";
import { diff } from "../../git/diff.ts";
import { entryAt } from "../../git/tree-files.ts";
import type { PullRequest } from "../pulls/pull-request.ts";
import type { Repository } from "../repository.ts";

interface OwnerRule {
  pattern: string;
  /** Logins without the `@`, in lower case. */
  owners: string[];
}

/** The first of these files that exists on the base branch is used. */
const places = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/**
 * Returns the owners of each changed file that has any. An approval by one of them approves the file. Teams and e-mail addresses
 * are not simulated.
 * https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
 */
export async function ownersOfChanges(pull: PullRequest): Promise<string[][]> {
  const { git } = pull.repository;
  const base = pull.repository.branch(pull.base.ref);
  if (base === null) return [];
  const rules = await readRules(pull.repository, base);
  if (rules.length === 0) return [];
  const { mergeBase } = await git.graph.divergence(base, pull.head.sha);
  const changes = await diff(git.directory, mergeBase?.sha ?? base, pull.head.sha, { patches: false });
  const paths = changes.flatMap(({ path, previousPath }) => [path, ...(previousPath ? [previousPath] : [])]);
  return paths.map((path) => ownersOf(rules, path)).filter((owners) => owners.length > 0);
}

async function readRules({ git }: Repository, commit: string): Promise<OwnerRule[]> {
  const tree = (await git.commit(commit))?.tree;
  for (const place of tree === undefined ? [] : places) {
    const entry = await entryAt(git, tree as string, place);
    const blob = entry && (await git.readObject(entry.sha));
    if (blob?.type === "blob") return parseRules(blob.content.toString("utf8"));
  }
  return [];
}

function parseRules(text: string): OwnerRule[] {
  return text.split("\n").flatMap((line) => {
    const [pattern, ...owners] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (!pattern) return [];
    return [{ pattern, owners: owners.map((owner) => owner.replace(/^@/, "").toLowerCase()) }];
  });
}

/** The last matching rule decides, even if it has no owners. */
function ownersOf(rules: readonly OwnerRule[], path: string): string[] {
  return rules.findLast(({ pattern }) => matches(pattern, path))?.owners ?? [];
}

/**
 * As in `.gitignore`: a pattern with a slash before its end matches the whole path. Any other pattern matches any name in the
 * path.
 */
function matches(pattern: string, path: string): boolean {
  const bare = pattern.replace(/^\//, "").replace(/\/$/, "");
  const anywhere = pattern.replace(/\/$/, "").includes("/") ? bare : `**/${bare}`;
  return (!pattern.endsWith("/") && matchesGlob(path, anywhere)) || matchesGlob(path, `${anywhere}/**`);
}
