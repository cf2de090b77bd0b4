import { type Commit, isTree, type Signature, type TreeEntry } from "./git-object.ts";
import type { GitRepository } from "./git-repository.ts";
import { runGit } from "./run-git.ts";
import { changedPaths } from "./tree-files.ts";

/** The tree of a merge, or null for a conflict. */
type MergedTree = string | null;

const remembered = new WeakMap<GitRepository, Map<string, MergedTree>>();

/** Merges two commits as GitHub does (merge-ort), without a working tree. */
export async function mergeTrees(git: GitRepository, ours: string, theirs: string): Promise<MergedTree> {
  const { mergeBase, isCrissCross } = await git.graph.divergence(ours, theirs);
  if (mergeBase === null) return null;
  if (mergeBase.sha === theirs) return (await git.commit(ours))?.tree ?? null;
  if (mergeBase.sha === ours) return (await git.commit(theirs))?.tree ?? null;

  const results = remembered.get(git) ?? new Map<string, MergedTree>();
  remembered.set(git, results);
  const key = `${ours} ${theirs}`;
  const known = results.get(key);
  if (known !== undefined) return known;
  const merged =
    (isCrissCross ? null : await mergeSimply(git, mergeBase, ours, theirs)) ?? (await ask(git, ours, theirs));
  results.set(key, merged);
  return merged;
}

async function mergeSimply(git: GitRepository, base: Commit, ours: string, theirs: string) {
  const [mine, other] = [await git.commit(ours), await git.commit(theirs)];
  return mine && other ? await mergeDisjoint(git, base.tree, mine.tree, other.tree) : null;
}

async function ask(git: GitRepository, ours: string, theirs: string): Promise<MergedTree> {
  const options = ["--write-tree", "-z", "--name-only", "--no-messages"];
  const { exitCode, stdout, stderr } = await runGit(git.directory, ["merge-tree", ...options, ours, theirs]);
  if (exitCode > 1) throw new Error(`git merge-tree: ${stderr.trim()}`);
  return exitCode === 0 ? stdout.toString("latin1", 0, 40) : null;
}

/**
 * Replays `commits` (oldest first) on `onto`, as GitHub's rebase does: it leaves out merge commits and commits that become empty.
 * Returns the new tip, or null for a conflict. Keeps the authors and sets `committer`.
 */
export async function replay(
  git: GitRepository,
  onto: Commit,
  commits: readonly Commit[],
  committer: Signature,
): Promise<Commit | null> {
  let tip = onto;
  for (const commit of commits) {
    const [parent] = commit.parents;
    if (parent === undefined || commit.parents.length > 1) continue;
    // git 2.39's merge-tree has no option for the merge base. A commit with the tip's tree and the picked commit's parent makes
    // that parent the merge base.
    const stand = git.writeCommit({ ...tip, parents: [parent] });
    const tree = await mergeTrees(git, stand, commit.sha);
    if (tree === null) return null;
    if (tree === tip.tree) continue;
    const replayed = { tree, parents: [tip.sha], author: commit.author, committer, message: commit.message };
    tip = { ...replayed, sha: git.writeCommit(replayed) };
  }
  return tip;
}

/**
 * Merges two trees that only add and change different files. Returns null for every other merge, which git has to decide. Without removals,
 * git finds no renames, so the result is the same, and no process is needed.
 */
export async function mergeDisjoint(
  git: GitRepository,
  base: string,
  ours: string,
  theirs: string,
): Promise<string | null> {
  for (const side of [ours, theirs])
    if ((await changedPaths(git, base, side)).removed.length > 0) return null;
  return await mergeLevel(git, base, ours, theirs);
}

async function mergeLevel(
  git: GitRepository,
  base: string | null,
  ours: string,
  theirs: string,
): Promise<string | null> {
  const [was, mine, other] = [
    await entriesOf(git, base),
    await entriesOf(git, ours),
    await entriesOf(git, theirs),
  ];
  const merged: TreeEntry[] = [];
  for (const name of new Set([...mine.keys(), ...other.keys()])) {
    const entry = await mergeEntry(git, was.get(name), mine.get(name), other.get(name));
    if (entry === null) return null;
    merged.push(entry);
  }
  return git.writeTree(merged);
}

async function mergeEntry(
  git: GitRepository,
  was: TreeEntry | undefined,
  mine: TreeEntry | undefined,
  other: TreeEntry | undefined,
): Promise<TreeEntry | null> {
  if (isSame(mine, other) || isSame(was, other)) return mine ?? null;
  if (isSame(was, mine)) return other ?? null;
  if (!mine || !other || !isTree(mine) || !isTree(other)) return null;
  const sha = await mergeLevel(git, was && isTree(was) ? was.sha : null, mine.sha, other.sha);
  return sha === null ? null : { ...mine, sha };
}

const isSame = (a: TreeEntry | undefined, b: TreeEntry | undefined): boolean =>
  a?.sha === b?.sha && a?.mode === b?.mode;

async function entriesOf(git: GitRepository, tree: string | null): Promise<ReadonlyMap<string, TreeEntry>> {
  const entries = tree === null ? [] : ((await git.readTree(tree)) ?? []);
  return new Map(entries.map((entry) => [entry.name, entry]));
}
