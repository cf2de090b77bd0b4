import { changedFiles } from "../git/changed-files.ts";
import { compileGlob } from "../targets/glob.ts";
import { noTarget, type PathRule } from "../targets/path-rules.ts";
import type { Change, Impact } from "./provider.ts";

/** The targets whose globs match changed files. A file that no rule names impacts everything: nobody said that it is harmless. */
export async function targetsByPaths(rules: readonly PathRule[], change: Change): Promise<Impact> {
  const matchers = rules.flatMap(({ target, globs }) =>
    globs.map((glob) => ({ target, pattern: compileGlob(glob) })),
  );
  const impacted = new Set<string>();
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    for (const path of paths) {
      let isNamed = false;
      for (const { target, pattern } of matchers) {
        // Of a target that is impacted already, only one rule has to be asked: whether the file is named at all.
        if ((isNamed && impacted.has(target)) || !pattern.test(path)) continue;
        isNamed = true;
        impacted.add(target);
      }
      if (!isNamed) return { all: true, because: `no line of targets-paths names ${path}` };
    }
  }
  impacted.delete(noTarget);
  return { all: false, targets: batched([...impacted]) };
}

/** The first changed file that impacts everything; null when there is none. */
export async function firstGlobalFile(globs: readonly string[], change: Change): Promise<string | null> {
  if (globs.length === 0) return null;
  const patterns = globs.map(compileGlob);
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    const found = paths.find((path) => patterns.some((pattern) => pattern.test(path)));
    if (found !== undefined) return found;
  }
  return null;
}

async function* batched(targets: readonly string[]): AsyncGenerator<readonly string[]> {
  yield targets;
}
