import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createRandomSource } from "../../src/replay/workload/random-source.ts";
import { EMPTY_TREE, type TreeEntry } from "../../tools/sandbox/git/git-object.ts";
import { GitRepository } from "../../tools/sandbox/git/git-repository.ts";
import { mergeDisjoint, mergeTrees } from "../../tools/sandbox/git/merge-trees.ts";
import { runGit } from "../../tools/sandbox/git/run-git.ts";
import { entryAt, withEntry } from "../../tools/sandbox/git/tree-files.ts";
import { draws } from "../sampled.ts";

const cases = draws(150);
const paths = ["a", "b", "dir/c", "dir/d", "dir/deep/e", "f", "f/g"];
const someone = { name: "Alice", email: "alice@example.com", date: new Date(0) };

let directory: string;
let git: GitRepository;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-merge-"));
  git = GitRepository.create(directory, "main");
});
afterEach(async () => {
  await git.close();
  await rm(directory, { recursive: true });
});

test("trees are merged as git merges them, also where git is not asked", async () => {
  const random = createRandomSource(7);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  let simple = 0;
  for (let index = 0; index < cases; index++) {
    const base = commit(await change(EMPTY_TREE, 5, pick), []);
    const [ours, theirs] = [await branch(base, pick), await branch(base, pick)];
    const { exitCode, stdout } = await runGit(directory, [
      "merge-tree",
      "--write-tree",
      ours.sha,
      theirs.sha,
    ]);
    const expected = exitCode === 0 ? stdout.toString().trim() : null;
    expect(await mergeTrees(git, ours.sha, theirs.sha)).toBe(expected);
    if (await mergeDisjoint(git, base.tree, ours.tree, theirs.tree)) simple += 1;
  }
  expect(simple).toBeGreaterThan(cases / 5);
  expect(simple).toBeLessThan(cases);
});

type Pick = <T>(from: readonly T[]) => T;

async function branch(from: { sha: string; tree: string }, pick: Pick) {
  return commit(await change(from.tree, 2, pick), [from.sha]);
}

/** Changes, adds, removes or renames files. */
async function change(tree: string, times: number, pick: Pick): Promise<string> {
  let changed: string | null = tree;
  for (let time = 0; time < times; time++) {
    const path = pick(paths);
    const was: TreeEntry | null = changed === null ? null : await entryAt(git, changed, path);
    const kind = pick(["write", "write", "write", "mode", "remove", "rename"]);
    if (kind === "write") changed = await withEntry(git, changed, path, write(pick));
    if (was === null || was.mode === "40000") continue;
    if (kind === "mode") changed = await withEntry(git, changed, path, { ...was, mode: "100755" });
    if (kind === "remove" || kind === "rename") changed = await withEntry(git, changed, path, null);
    if (kind === "rename") changed = await withEntry(git, changed, pick(["moved", "dir/moved"]), was);
  }
  return changed ?? EMPTY_TREE;
}

const write = (pick: Pick) => ({
  mode: "100644",
  sha: git.writeBlob(Buffer.from(`${pick(["one", "two", "three"])}\n`.repeat(20) + pick(["x", "y", "z"]))),
});

function commit(tree: string, parents: string[]): { sha: string; tree: string } {
  if (tree === EMPTY_TREE) git.writeTree([]);
  const content = { tree, parents, author: someone, committer: someone, message: "Change\n" };
  return { sha: git.writeCommit(content), tree };
}
