import { changedFiles } from "../git/changed-files.ts";
import { PathMatcher } from "../targets/path-matcher.ts";
import { noTarget } from "../targets/path-rules.ts";
import { type FindGlobalFile, globalImpact } from "./global-files.ts";
import { batched, type Change, type Impact } from "./provider.ts";

/** The targets whose globs match changed files. A file that no rule names impacts everything: nobody said that it is harmless. */
export async function targetsByPaths(change: Change, findGlobalFile: FindGlobalFile): Promise<Impact> {
  const matcher = new PathMatcher(change.rules);
  const impacted = new Set<string>();
  // Both in one reading: a million changed files take git half a second each time.
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    const file = findGlobalFile(paths);
    if (file !== null) return globalImpact(file);
    for (const path of paths) {
      if (!matcher.addTargets(path, impacted)) {
        return { all: true, because: `no line of targets-paths names ${path}` };
      }
    }
  }
  impacted.delete(noTarget);
  return { all: false, targets: batched(impacted) };
}

/** The targets whose globs match changed files, whatever the other files impact. */
export async function targetsNamed(change: Change): Promise<Set<string>> {
  const impacted = new Set<string>();
  if (change.rules.length === 0) return impacted;
  const matcher = new PathMatcher(change.rules);
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    for (const path of paths) matcher.addTargets(path, impacted);
  }
  impacted.delete(noTarget);
  return impacted;
}
