import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type Program, ProgramFailed, printedBy } from "../../child-process.ts";
import { changedFiles } from "../../git/changed-files.ts";
import { type GitEnvironment, gitLine, runGit } from "../../git/git.ts";
import type { Change, Impact } from "../provider.ts";
import { batched } from "../provider.ts";
import { type BazelTarget, readTargets } from "./build-proto.ts";
import { TargetComparison } from "./target-comparison.ts";

const everyTarget = "//...:all-targets";
/** All that tells whether a rule does the same, and nothing that only tells where it stands. */
const format = ["--output=proto", "--noproto:locations", "--proto:include_synthetic_attribute_hash"];

/**
 * The targets that are others at the head than at the base, those of changed files, and all that are made from them. Both are
 * queried in a checkout of their own, the same one after the other: what lies in the workspace may be a merge of the head with
 * changes that are not the pull request's.
 */
export async function targetsByBazel(change: Change): Promise<Impact> {
  const { git, baseSha, headSha, temporary } = change;
  const directory = await mkdtemp(join(temporary, "trainyard-bazel-"));
  const prefix = (await gitLine(git, "rev-parse", "--show-prefix")) ?? "";
  await using checkout = await addWorktree(git, join(directory, "checkout"), baseSha);
  const workspace = { ...git, cwd: join(checkout.path, prefix) };
  const outputBase = join(directory, "output");
  const comparison = new TargetComparison(await changedSet(change), prefix);
  for await (const target of query(workspace, outputBase)) comparison.addBase(target);
  await runGit(workspace, "checkout", "--quiet", "--detach", headSha);
  for await (const target of query(workspace, outputBase)) comparison.addHead(target);
  return { all: false, targets: batched(comparison.impacted()) };
}

async function changedSet({ git, baseSha, headSha }: Change): Promise<Set<string>> {
  const changed = new Set<string>();
  for await (const paths of changedFiles(git, baseSha, headSha)) for (const path of paths) changed.add(path);
  return changed;
}

async function* query(git: GitEnvironment, outputBase: string): AsyncGenerator<BazelTarget> {
  // Both queries find one server, which then ends by itself.
  const startup = [`--output_base=${outputBase}`, "--max_idle_secs=15"];
  const args = [...startup, "query", "--order_output=no", ...format, everyTarget];
  const program: Program = { ...git, file: "bazel", label: "bazel query", args };
  try {
    yield* readTargets(printedBy(program, "keep"));
  } catch (error) {
    if (!(error instanceof ProgramFailed && error.isMissing)) throw error;
    yield* readTargets(printedBy({ ...program, file: "bazelisk" }, "keep"));
  }
}

async function addWorktree(git: GitEnvironment, path: string, sha: string) {
  await runGit(git, "worktree", "add", "--quiet", "--detach", path, sha);
  return {
    path,
    async [Symbol.asyncDispose]() {
      // What was aborted is to be tidied up, too.
      const signal = AbortSignal.timeout(30_000);
      await runGit({ ...git, signal }, "worktree", "remove", "--force", path);
    },
  };
}
