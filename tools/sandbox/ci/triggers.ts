import { changedPaths } from "../git/tree-files.ts";
import type { Repository } from "../world/repository.ts";
import type { Trigger } from "./workflow.ts";

/**
 * Whether a trigger fires. With a filter of paths and no changed file, it does not. `pathsIgnore` prevents it when it includes
 * every file.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#onpushpull_requestpull_request_targetpathspaths-ignore
 *
 * @param changedFiles is called only if the trigger filters paths.
 */
export async function fires(
  { branches, branchesIgnore, paths, pathsIgnore }: Trigger,
  branch: string,
  changedFiles: () => Promise<readonly string[]>,
): Promise<boolean> {
  if (branches && !includes(branches, branch)) return false;
  if (branchesIgnore && includes(branchesIgnore, branch)) return false;
  if (!paths && !pathsIgnore) return true;
  const files = await changedFiles();
  if (paths && !files.some((file) => includes(paths, file))) return false;
  return !pathsIgnore || files.some((file) => !includes(pathsIgnore, file));
}

/**
 * Whether the patterns of a filter such as `branches` or `paths` include a name. The last matching pattern decides. A pattern
 * that starts with `!` excludes.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
 */
export function includes(patterns: readonly string[], name: string): boolean {
  const last = patterns.findLast((pattern) => toRegExp(pattern.replace(/^!/, "")).test(name));
  return last !== undefined && !last.startsWith("!");
}

/**
 * `*` matches text without a slash, and `**` matches any text. `?` repeats the preceding character zero or one time, and `+` at
 * least once. `[]` matches one of the listed characters. `\` takes the next character literally. `**` followed by a slash may
 * also match nothing.
 */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|\\.|\[[^\]]+\]|[?+]|[^\w/-]/g, (token) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?" || token === "+" || token.startsWith("[")) return token;
    return token.startsWith("\\") ? RegExp.escape(token.slice(1)) : RegExp.escape(token);
  });
  return new RegExp(`^${source}$`);
}

/**
 * Returns the files that GitHub uses for the path filters of a push: the files that differ between the branch before and after
 * it. For a new branch these are the changes since the parent of the deepest commit that no other branch has. There are none when
 * every commit is already on another branch.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#git-diff-comparisons
 */
export async function pushedPaths(
  repository: Repository,
  branch: string,
  before: string | null,
  after: string,
): Promise<string[]> {
  if (before !== null) return pathsBetween(repository, before, after);
  const others = repository.git.refs
    .list("refs/heads/")
    .filter(([ref]) => ref !== `refs/heads/${branch}`)
    .map(([, sha]) => sha);
  const { graph } = repository.git;
  const isKnown = async (sha: string) => {
    for (const tip of others) if (await graph.contains(tip, sha)) return true;
    return false;
  };
  let deepest: string | null = null;
  // Children come before their parents.
  for (const { sha } of await graph.range(null, after)) if (!(await isKnown(sha))) deepest = sha;
  if (deepest === null) return [];
  const [parent = null] = (await repository.git.commit(deepest))?.parents ?? [];
  return pathsBetween(repository, parent, after);
}

/** Returns the files that differ between two commits, or all files of a commit when there is no earlier one. */
export async function pathsBetween(
  repository: Repository,
  before: string | null,
  after: string,
): Promise<string[]> {
  const { git } = repository;
  const from = before === null ? null : await git.commit(before);
  const to = await git.commit(after);
  if (to === null) throw new Error(`no commit ${after}`);
  const { added, removed, modified } = await changedPaths(git, from?.tree ?? null, to.tree);
  return [...added, ...removed, ...modified];
}

const WORDS = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/i;
const TRAILER = /\n\n+(?:[^\n]+\n)*skip-checks: ?true\s*$/i;

/**
 * Whether a head commit's message prevents workflow runs.
 * https://docs.github.com/en/actions/managing-workflow-runs-and-deployments/managing-workflow-runs/skipping-workflow-runs
 */
export const skipsCi = (message: string): boolean => WORDS.test(message) || TRAILER.test(message);
