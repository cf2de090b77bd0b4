import type { Octokit } from "@octokit/rest";
import type { TestCommitPlan, TestCommitResult } from "../ports/code-host.ts";
import { forceBranch, type Repository } from "./branches.ts";
import type { HeadStacker } from "./stack-heads.ts";

/** Stacks the heads of a plan, and pushes the test branch once at the end, so that CI starts once. */
export async function buildTestCommit(
  octokit: Octokit,
  at: Repository,
  stacker: HeadStacker,
  { targetBranch, branch, mayExist, ...plan }: TestCommitPlan,
): Promise<TestCommitResult> {
  const result = await stacker.stack(octokit, at, { scratch: targetBranch, ...plan });
  const tip = result.kind === "built" ? result.commits.at(-1) : undefined;
  if (tip) await forceBranch(octokit, at, branch, tip.commitSha, mayExist);
  return result;
}
