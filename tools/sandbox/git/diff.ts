import { runGit } from "./run-git.ts";

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
