import { changedFiles } from "../git/changed-files.ts";
import { PathMatcher } from "../targets/path-matcher.ts";
import { noTarget } from "../targets/path-rules.ts";
import type { FindGlobalFile } from "./global-files.ts";
import { batched, type Change, type Impact } from "./provider.ts";

/** The targets whose globs match changed files. A file that no rule names impacts everything, since no rule says that it is harmless. */
export async function targetsByPaths(change: Change, finders: readonly FindGlobalFile[]): Promise<Impact> {
  const matcher = new PathMatcher(change.rules);
  const impacted = new Set<string>();
  // One pass for both: a million changed files take git half a second each time.
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    const because = finders.map((find) => find(paths)).find((reason) => reason !== null);
    if (because !== undefined) return { all: true, because };
    for (const path of paths) {
      if (!matcher.addTargets(path, impacted)) {
        return { all: true, because: `no line of targets-paths names ${path}` };
      }
    }
  }
  impacted.delete(noTarget);
  return { all: false, targets: batched(impacted) };
}
