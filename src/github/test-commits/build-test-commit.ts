import type { TestCommitPlan, TestCommitResult } from "../../ports/code-host/merging.ts";
import type { TestPullRequest } from "../../ports/code-host/pull-requests.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { changeOwnBranch, OwnBranchRefused } from "./branch-refusal.ts";
import { forceBranch } from "./branches.ts";
import type { HeadStacker } from "./stack-heads.ts";

/** Stacks the heads of a plan, and pushes the test branch once, at the end, so that CI starts only once. */
export async function buildTestCommit(
  api: RepositoryApi,
  stacker: HeadStacker,
  { scratch, branch, mayExist, ...plan }: TestCommitPlan,
): Promise<TestCommitResult> {
  const result = await stacker.stack(api, { build: branch, scratch, ...plan });
  const tip = result.kind === "built" ? result.commits.at(-1)?.commitSha : undefined;
  if (tip === undefined) return result;
  const from = mayExist ? {} : { from: null };
  const updates = [{ branch, to: tip, force: true, ...from }];
  if (await stacker.refs.update(api, updates)) return result;
  try {
    await changeOwnBranch(api, branch, () => forceBranch(api, branch, tip, mayExist));
    return result;
  } catch (error) {
    if (!(error instanceof OwnBranchRefused)) throw error;
    return { kind: "refused", pr: null, message: error.message, cause: error.cause };
  }
}

/**
 * Opens a pull request for a test branch: a draft, or a normal one if the plan has no drafts (422). A pull request that is open
 * already stays. If none can be created (another 422), there is only the pushed branch. Returns whether there is a pull request.
 * https://docs.github.com/en/rest/pulls/pulls#create-a-pull-request
 */
export async function openTestPullRequest(
  { octokit, at }: RepositoryApi,
  pull: TestPullRequest,
): Promise<boolean> {
  for (const draft of [true, false]) {
    try {
      await octokit.rest.pulls.create({ ...at, ...pull, draft });
      return true;
    } catch (error) {
      if (statusOf(error) !== 422) throw error;
      const said = error instanceof Error ? error.message : "";
      if (/already exists/.test(said)) return true;
      if (!/draft/i.test(said)) return false;
    }
  }
  return false;
}
