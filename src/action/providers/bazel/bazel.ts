import { mkdtemp } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { type Program, ProgramFailed, printedBy } from "../../child-process.ts";
import {
  type ChangedFile,
  changedFilesOfBothSides,
  type GitEnvironment,
  gitLine,
  readFiles,
  runGit,
  scanTree,
  type TextFile,
} from "../../git/git.ts";
import { noTarget, PathMatcher } from "../../targets/path-rules.ts";
import { batched, type Change, type Impact } from "../provider.ts";
import { type BazelInputs, TargetFilter } from "./bazel-inputs.ts";
import { type BazelTarget, readTargets } from "./build-proto.ts";
import { TargetComparison } from "./target-comparison.ts";

const everyTarget = "//...:all-targets";
/** The output contains everything that affects what a rule does, and no locations. */
const format = ["--output=proto", "--noproto:locations", "--proto:include_synthetic_attribute_hash"];

/**
 * The targets that differ between the base and the head, those of changed files, and all that are built from them, at the head or on the
 * target branch. The commits are queried one after the other in one separate worktree, because the workspace itself may contain a merge of
 * the head with changes of others. A changed file that Bazel does not list impacts everything, because it may be read without showing in
 * targets, such as a lockfile that a repository rule reads.
 */
export async function targetsByBazel(change: Change): Promise<Impact> {
  const { git, baseSha, headSha, targetSha, temporary, bazel } = change;
  const directory = await mkdtemp(join(temporary, "trainyard-bazel-"));
  const prefix = (await gitLine(git, "rev-parse", "--show-prefix")) ?? "";
  await using checkout = await addWorktree(git, join(directory, "checkout"), baseSha);
  const workspace = { ...git, cwd: join(checkout.path, prefix) };
  const outputBase = join(directory, "output");
  const filter = new TargetFilter(bazel);
  const files = await changedFilesByPath(change);
  const comparison = new TargetComparison(files, prefix, filter);
  for await (const target of query(workspace, outputBase, bazel)) comparison.addBase(target);
  await runGit(workspace, "checkout", "--quiet", "--detach", headSha);
  for await (const target of query(workspace, outputBase, bazel)) comparison.addHead(target);
  if (targetSha !== baseSha) {
    await runGit(workspace, "checkout", "--quiet", "--detach", targetSha);
    for await (const target of query(workspace, outputBase, bazel)) comparison.addOfTargetBranch(target);
  }
  if (!filter.hasMatched)
    return { all: true, because: "Bazel lists no target that could be impacted, so the impact is unknown" };
  const { named, unknown } = await unknownFiles(files.values(), comparison, change);
  if (unknown !== null) return { all: true, because: `${unknown}, and no line of targets-paths names it` };
  return { all: false, targets: batched(new Set([...comparison.impacted(), ...named])) };
}

async function changedFilesByPath({ git, baseSha, headSha }: Change): Promise<Map<string, ChangedFile>> {
  const changed = new Map<string, ChangedFile>();
  for await (const file of changedFilesOfBothSides(git, baseSha, headSha)) changed.set(file.path, file);
  return changed;
}

/**
 * Returns the targets that targets-paths names for changed files, and the problem with a file that neither targets-paths nor Bazel
 * covers.
 */
async function unknownFiles(files: Iterable<ChangedFile>, comparison: TargetComparison, change: Change) {
  const matcher = new PathMatcher(change.rules);
  const named = new Set<string>();
  let starlark: Promise<Set<string>> | null = null;
  for (const file of files) {
    const { path } = file;
    if (matcher.addTargets(path, named)) continue;
    if (!comparison.knows(file)) return { named, unknown: `Bazel does not list ${path}` };
    if (!path.endsWith(".bzl")) continue;
    starlark ??= starlarkOfBothSides(change);
    if ((await starlark).has(basename(path)))
      return { named, unknown: `the workspace's definition may load ${path}` };
  }
  named.delete(noTarget);
  return { named, unknown: null };
}

async function starlarkOfBothSides({ git, baseSha, headSha }: Change): Promise<Set<string>> {
  return (await starlarkOfRepositories(git, baseSha)).union(await starlarkOfRepositories(git, headSha));
}

async function* query(
  git: GitEnvironment,
  outputBase: string,
  { path, startupOptions, queryOptions }: BazelInputs,
): AsyncGenerator<BazelTarget> {
  // Both queries use the same server, which ends by itself afterwards.
  const startup = [`--output_base=${outputBase}`, "--max_idle_secs=15", ...startupOptions];
  const args = [...startup, "query", ...queryOptions, "--order_output=no", ...format, everyTarget];
  const program: Program = { ...git, file: path ?? "bazel", label: "bazel query", args };
  try {
    yield* readTargets(printedBy(program, "keep"));
  } catch (error) {
    if (path !== null || !(error instanceof ProgramFailed && error.isMissing)) throw error;
    yield* readTargets(printedBy({ ...program, file: "bazelisk" }, "keep"));
  }
}

async function addWorktree(git: GitEnvironment, path: string, sha: string) {
  await runGit(git, "worktree", "add", "--quiet", "--detach", path, sha);
  return {
    path,
    async [Symbol.asyncDispose]() {
      // A separate signal, because the cleanup also runs after an abort.
      const signal = AbortSignal.timeout(30_000);
      await runGit({ ...git, signal }, "worktree", "remove", "--force", path);
    },
  };
}

/**
 * The names of Starlark files that the workspace's definition may load, directly or through others. Targets do not show what these
 * files define (repositories, extensions). Only file names are compared, so that labels need not be parsed.
 */
async function starlarkOfRepositories(git: GitEnvironment, sha: string): Promise<Set<string>> {
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
