import { type GitEnvironment, gitItems } from "./git.ts";

const flags = ["-r", "-z", "--no-renames", "--ignore-submodules=none"];

/**
 * The paths that differ between two commits; a renamed file appears under both names. Uses a plumbing command, which no
 * configuration changes.
 */
export function changedFiles(
  git: GitEnvironment,
  baseSha: string,
  headSha: string,
): AsyncGenerator<readonly string[]> {
  return gitItems(git, "\0", "diff-tree", "--name-only", ...flags, baseSha, headSha);
}

/** A path that differs between two commits. */
export interface ChangedFile {
  readonly path: string;
  readonly isAtBase: boolean;
  readonly isAtHead: boolean;
  /** Whether it is a submodule on either side. */
  readonly isSubmodule: boolean;
}

/** The same paths, with whether each exists at the base and at the head. */
export async function* changedFilesOfBothSides(
  git: GitEnvironment,
  baseSha: string,
  headSha: string,
): AsyncGenerator<ChangedFile> {
  let modes: readonly string[] | null = null;
  for await (const items of gitItems(git, "\0", "diff-tree", "--raw", ...flags, baseSha, headSha)) {
    for (const item of items) {
      if (modes === null) {
        modes = item.slice(1).split(" ", 2);
        continue;
      }
      const [base, head] = modes;
      const isSubmodule = modes.includes("160000");
      yield { path: item, isAtBase: base !== "000000", isAtHead: head !== "000000", isSubmodule };
      modes = null;
    }
  }
}
