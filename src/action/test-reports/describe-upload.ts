import type { RequestOf } from "../../client/client.ts";
import type { StepContext } from "../step.ts";
import { StepError } from "../step-error.ts";
import { findJob } from "./find-job.ts";
import type { FoundReports } from "./find-reports.ts";
import { findTested } from "./find-tested.ts";
import type { UploadTestsInputs } from "./read-inputs.ts";

/** The upload: the reports, and what they belong to. @throws StepError when the workflow does not say enough. */
export async function describeUpload(
  inputs: UploadTestsInputs,
  surroundings: StepContext,
  { reports, found }: FoundReports,
  stepFailed: boolean,
): Promise<RequestOf<"uploadTestResults">> {
  const { workflow, runner, env, signal } = surroundings;
  const { repository, host, runId, runAttempt } = workflow;
  const repo = inputs.repository ?? repository;
  if (repo === null || runId === null)
    throw new StepError("What was tested?", "The workflow names no repository or run.");
  const [tested, job] = await Promise.all([
    findTested(inputs, workflow, { cwd: workflow.workspace, env, signal }),
    findJob(inputs, surroundings),
  ]);
  const { headSha, treeSha, branch, kind, pr, doubt } = tested;
  if (doubt !== null) {
    const remedy = "If you know what was tested, set the inputs kind, head-branch and head-sha.";
    const text = `The upload has the kind unknown, so no failure is forgiven: ${doubt}. ${remedy}`;
    runner.annotate("notice", "It is not certain what was tested", text);
  }
  const baseBranch = inputs.targetBranch ?? workflow.pullRequest?.baseBranch;
  const said = {
    repo: { host, owner: repo.owner, name: repo.name },
    ...{ head_sha: headSha, tree_sha: treeSha, branch, kind },
    ...(pr !== null && (kind === "pr" || kind === "unknown") ? { pr: { number: pr } } : {}),
    ...(kind === "pr" && baseBranch ? { base_branch: baseBranch } : {}),
    ...{ run_id: runId, run_attempt: runAttempt, ...job, step_failed: stepFailed },
    ...{ quarantine: inputs.quarantine, expected_reports: found },
  };
  runner.detail(`Uploading ${JSON.stringify(said)}`);
  return { ...said, reports: [...reports] };
}
