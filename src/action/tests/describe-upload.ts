import type { RequestOf } from "../../client/client.ts";
import { gitLine } from "../git/git.ts";
import type { UploadTestsInputs } from "../inputs.ts";
import type { Surroundings } from "../step.ts";
import { StepError } from "../step-error.ts";
import { compileGlob } from "../targets/glob.ts";
import type { Workflow } from "../workflow.ts";
import type { FoundReports } from "./find-reports.ts";

/** GitHub's own merge queue tests on branches that begin so. */
const ownQueuePrefix = "gh-readonly-queue/";

/** What is uploaded: the reports, and what they are of. @throws StepError when the workflow does not say enough. */
export async function describeUpload(
  inputs: UploadTestsInputs,
  { workflow, env, signal }: Surroundings,
  { reports, found }: FoundReports,
  stepFailed: boolean,
): Promise<RequestOf<"uploadTestResults">> {
  const { repository, branch, pullRequest, runId, runAttempt, job, sha } = workflow;
  const repo = inputs.repository ?? repository;
  const headSha = pullRequest?.headSha ?? sha;
  if (repo === null || branch === null || headSha === null || runId === null) {
    throw new StepError(
      "What was tested?",
      "The workflow names no repository, branch, commit or run. Run on push, pull_request or merge_group.",
    );
  }
  const treeSha = await gitLine({ cwd: workflow.workspace, env, signal }, "rev-parse", "HEAD^{tree}");
  if (treeSha === null)
    throw new StepError("What was tested?", "There is no checkout. Run actions/checkout first.");
  const kind = kindOf(inputs, workflow, branch);
  return {
    repo: { host: workflow.host, owner: repo.owner, name: repo.name },
    ...{ head_sha: headSha, tree_sha: treeSha, branch, kind },
    ...(kind === "pr" && pullRequest ? { pr: { number: pullRequest.number } } : {}),
    ...{ run_id: runId, run_attempt: runAttempt, job, variant: inputs.variant, step_failed: stepFailed },
    ...{ quarantine: inputs.quarantine, expected_reports: found },
    reports: [...reports],
  };
}

/** Whose fault a failure may be: of whoever opened a pull request, of what the queue has put together, or of a branch that all build on. */
function kindOf(
  { testBranchPrefix, stableBranches, apiToken }: UploadTestsInputs,
  { defaultBranch, pullRequest }: Workflow,
  branch: string,
): "pr" | "stable" | "queue" {
  // The job's own token speaks for the pull request that began it, and for nothing else.
  if (pullRequest !== null && apiToken === null) return "pr";
  if (branch.startsWith(testBranchPrefix) || branch.startsWith(ownQueuePrefix)) return "queue";
  if (pullRequest !== null) return "pr";
  const stable = stableBranches.length === 0 ? branch === defaultBranch : isNamed(branch, stableBranches);
  return stable ? "stable" : "pr";
}

function isNamed(branch: string, globs: readonly string[]): boolean {
  return globs.some((glob) => compileGlob(glob).test(branch));
}
