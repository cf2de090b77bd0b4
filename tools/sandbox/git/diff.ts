import type { GitRepository } from "./git-repository.ts";
import { runGit } from "./run-git.ts";
import { changedPaths, entryAt } from "./tree-files.ts";

export interface FileChange {
  path: string;
  previousPath: string | null;
  status: "added" | "removed" | "modified" | "renamed" | "copied" | "changed";
  /** The blob after the change; for a removal, the blob that was removed. */
  blob: string;
  /** Number of lines; 0 for binary files. */
  additions: number;
  deletions: number;
  patch: string | null;
}

const STATUS: Record<string, FileChange["status"]> = {
  A: "added",
  D: "removed",
  M: "modified",
  R: "renamed",
  C: "copied",
  T: "changed",
};

/** Returns the changes between two commits or trees. Detects renames. With `patches`, includes the text of each change. */
export async function diff(
  directory: string,
  before: string,
  after: string,
  { patches }: { patches: boolean },
): Promise<FileChange[]> {
  const args = ["diff-tree", "-r", "-M", "-z", "--full-index", "--raw", "--numstat"];
  const { exitCode, stdout, stderr } = await runGit(directory, [...args, before, after]);
  if (exitCode !== 0) throw new Error(`git diff-tree: ${stderr.trim()}`);
  const changes = parseSummary(stdout.toString("utf8").split("\0"));
  if (!patches || changes.length === 0) return changes;
  const text = await runGit(directory, ["diff-tree", "-r", "-M", "-p", before, after]);
  const patchTexts = text.stdout
    .toString("utf8")
    .split(/^diff --git .*\n/m)
    .slice(1);
  return changes.map((change, index) => {
    const hunk = patchTexts[index]?.search(/^@@ /m) ?? -1;
    return {
      ...change,
      patch: hunk === -1 ? null : (patchTexts[index] ?? "").slice(hunk).replace(/\n$/, ""),
    };
  });
}

/** Reads `--raw --numstat -z`: all raw records, then the counts in the same order. */
function parseSummary(fields: string[]): FileChange[] {
  const changes: FileChange[] = [];
  let at = 0;
  for (; fields[at]?.startsWith(":"); at += 1) {
    const [, , oldBlob = "", newBlob = "", status = "M"] = (fields[at] ?? "").split(" ");
    const moved = status.startsWith("R") || status.startsWith("C");
    at += 1;
    const first = fields[at] ?? "";
    if (moved) at += 1;
    changes.push({
      path: fields[at] ?? first,
      previousPath: moved ? first : null,
      status: STATUS[status.charAt(0)] ?? "modified",
      blob: status === "D" ? oldBlob : newBlob,
      additions: 0,
      deletions: 0,
      patch: null,
    });
  }
  for (const change of changes) {
    const [additions = "0", deletions = "0"] = (fields[at] ?? "").split("\t");
    change.additions = Number(additions) || 0;
    change.deletions = Number(deletions) || 0;
    // With -z, the two names of a rename are separate fields.
    at += change.previousPath === null ? 1 : 3;
  }
  return changes;
}

interface DiffSize {
  /** Number of lines. */
  additions: number;
  deletions: number;
  files: number;
}

const remembered = new WeakMap<GitRepository, Map<string, Promise<DiffSize>>>();

/**
 * Returns the size of the difference between two commits. Results are kept: callers often ask for the same commits, and some
 * computations need a process.
 */
export function diffSize(git: GitRepository, before: string, after: string): Promise<DiffSize> {
  const sizes = remembered.get(git) ?? new Map<string, Promise<DiffSize>>();
  remembered.set(git, sizes);
  const key = `${before} ${after}`;
  const known = sizes.get(key);
  if (known !== undefined) return known;
  const size = measure(git, before, after);
  sizes.set(key, size);
  return size;
}

async function measure(git: GitRepository, before: string, after: string): Promise<DiffSize> {
  const simple = await measureAdditions(git, before, after);
  if (simple !== null) return simple;
  const files = await diff(git.directory, before, after, { patches: false });
  return {
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    files: files.length,
  };
}

/** The size of a difference that only adds files, as in most tests; null for other differences, which git has to compare. */
async function measureAdditions(git: GitRepository, before: string, after: string): Promise<DiffSize | null> {
  const [was, is] = [await git.commit(before), await git.commit(after)];
  if (was === null || is === null) return null;
  const { added, removed, modified } = await changedPaths(git, was.tree, is.tree);
  if (removed.length + modified.length > 0) return null;
  let additions = 0;
  for (const path of added) {
    const entry = await entryAt(git, is.tree, path);
    const blob = entry?.mode === "160000" ? null : await git.readObject(entry?.sha ?? "");
    if (blob === null) return null;
    additions += linesIn(blob.content);
  }
  return { additions, deletions: 0, files: added.length };
}

/** Git's count: none in a binary file, which has a zero byte near its start. */
function linesIn(content: Buffer): number {
  if (content.subarray(0, 8_000).includes(0)) return 0;
  let lines = content.length > 0 && content.at(-1) !== 10 ? 1 : 0;
  for (const byte of content) if (byte === 10) lines += 1;
  return lines;
}
