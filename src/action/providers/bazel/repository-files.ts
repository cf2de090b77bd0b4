import { posix } from "node:path";
import type { GitEnvironment } from "../../git/git.ts";
import { readFiles, type TextFile } from "../../git/read-files.ts";
import { scanTree } from "../../git/tree.ts";

/**
 * The names of Starlark files that the workspace's definition may load, directly or through others. Targets do not show what these
 * files define (repositories, extensions). Only file names are compared, so that labels need not be parsed.
 */
export async function starlarkOfRepositories(git: GitEnvironment, sha: string): Promise<Set<string>> {
  const isDefinition = (path: string) => /(^|\/)(WORKSPACE|MODULE|REPO)[^/]*$|\.MODULE\.bazel$/.test(path);
  const tree = await scanTree(git, sha, (path) => isDefinition(path) || path.endsWith(".bzl"));
  const files = await readFiles(git, tree.files);
  const named = ({ text }: TextFile) => text.match(/[^\s/:"']+\.bzl/g) ?? [];
  const byName = Map.groupBy(files, ({ path }) => posix.basename(path));
  const names = new Set(files.filter(({ path }) => isDefinition(path)).flatMap(named));
  // Iterating over a set also visits items that are added meanwhile.
  for (const name of names)
    for (const file of byName.get(name) ?? []) for (const more of named(file)) names.add(more);
  return names;
}
