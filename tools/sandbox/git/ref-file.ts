import { mkdirSync, renameSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Writes the file of a ref. `git update-ref` would need a process for each repository. Git reads refs while they change, so a ref
 * is replaced at once.
 * https://git-scm.com/book/en/v2/Git-Internals-Git-References
 */
export function writeRefFile(directory: string, ref: string, sha: string): void {
  const path = join(directory, ref);
  mkdirSync(dirname(path), { recursive: true });
  // Git does not regard such a file as a ref.
  const temporary = `${path}.lock`;
  writeFileSync(temporary, `${sha}\n`);
  renameSync(temporary, path);
}

/** Deletes the file of a ref, and the directories that become empty: they would prevent a ref of their name. */
export function deleteRefFile(directory: string, ref: string): void {
  unlinkSync(join(directory, ref));
  // Git needs `refs/heads` and the like, to which the first two names lead.
  for (let parent = dirname(ref); parent.split("/").length > 2; parent = dirname(parent)) {
    try {
      rmdirSync(join(directory, parent));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
      return;
    }
  }
}
