import type { TestCommitPlan, TestCommitResult } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { changeOwnBranch, OwnBranchRefused } from "./branch-refusal.ts";
import { forceBranch } from "./branches.ts";
import type { HeadStacker } from "./stack-heads.ts";
import type { RefUpdater } from "./update-refs.ts";

/** Stacks the heads of a plan, and pushes the test branch once, at the end, so that CI starts only once. */
export async function buildTestCommit(
  api: RepositoryApi,
  stacker: HeadStacker,
  refs: RefUpdater,
  { scratch, branch, mayExist, ...plan }: TestCommitPlan,
): Promise<TestCommitResult> {
  const result = await stacker.stack(api, { build: branch, scratch, ...plan });
  const tip = result.kind === "built" ? result.commits.at(-1)?.commitSha : undefined;
  if (tip === undefined) return result;
  const from = mayExist ? {} : { from: null };
  const updates = [{ branch, to: tip, force: true, ...from }];
  if (await refs.update(api, updates)) return result;
  try {
    await changeOwnBranch(api, branch, () => forceBranch(api, branch, tip, mayExist));
    return result;
  } catch (error) {
    if (!(error instanceof OwnBranchRefused)) throw error;
    return { kind: "refused", pr: null, message: error.message, cause: error.cause };
  }
}
