import { createHash } from "node:crypto";
import type { RequestOf } from "../../client/client.ts";
import { maskGenerated } from "../../flaky/generated-parts.ts";
import { GitHubApi } from "../github/github-api.ts";
import { type StepContext, StepError } from "../step.ts";
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
  const { headSha, treeSha, baseSha, branch, kind, pr, doubt } = tested;
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
    ...(baseSha === null ? {} : { base_sha: baseSha }),
    ...(kind === "pr" && baseBranch ? { base_branch: baseBranch } : {}),
    ...{ run_id: runId, run_attempt: runAttempt, ...job, step_failed: stepFailed },
    ...{ quarantine: inputs.quarantine, expected_reports: found },
  };
  runner.detail(`Uploading ${JSON.stringify(said)}`);
  return { ...said, reports: [...reports] };
}

/** The job as the service knows it. The variant separates runs of it that are not comparable. */
interface TestJob {
  readonly workflow: string;
  readonly job: string;
  readonly variant: string;
  /** Distinguishes the uploads of one job. */
  readonly step: string;
}

/** The service's limits. */
const longestVariant = 64;
const longestName = 255;
const longestStep = 100;

/** The maximum time to wait for GitHub. */
const patienceMs = 3_000;

async function findJob(inputs: UploadTestsInputs, surroundings: StepContext): Promise<TestJob> {
  const { workflowName, os, step } = surroundings.workflow;
  return {
    workflow: workflowName.slice(0, longestName),
    job: (inputs.job ?? (await checkName(inputs, surroundings))).slice(0, longestName),
    variant: inputs.variant ?? defaultVariant(os, inputs.matrix),
    step: step.slice(0, longestStep),
  };
}

/**
 * The name of the job's check, by which the queue identifies the job. It differs from the job's id if the job has a `name`, runs in
 * a matrix or in a reusable workflow, and only GitHub knows it. If GitHub does not answer, the id is used, which is right for all
 * other jobs.
 */
async function checkName(
  { githubToken: token, checkRunId }: UploadTestsInputs,
  { workflow, runner, fetch }: StepContext,
): Promise<string> {
  const { repository, job, apiUrl } = workflow;
  if (repository === null || checkRunId === null || token === null) return job;
  const retry = { attempts: 1 };
  const timely: typeof fetch = (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
  const github = new GitHubApi({ apiUrl, token, fetch: timely, retry });
  try {
    const path = `/repos/${repository.owner}/${repository.name}/check-runs/${encodeURIComponent(checkRunId)}`;
    const { name } = Object(await github.request("GET", path)) as { name?: unknown };
    if (typeof name === "string" && name !== "") return name;
  } catch (error) {
    runner.detail(error instanceof Error ? error.message : String(error));
  }
  runner.log(
    `GitHub did not return the name of this job's check; using "${job}". Give the job the permission \`checks: read\`, or set the input job.`,
  );
  return job;
}

/**
 * Such as `Linux, os=ubuntu-latest, node=24`. It differs between the legs of a matrix, unless only generated parts of their values differ.
 */
function defaultVariant(os: string, matrix: unknown): string {
  const full = [...(os === "" ? [] : [os]), ...leaves("", matrix)].join(", ");
  // The service masks generated parts of variants, but cannot do so within a digest.
  const text = full.length <= longestVariant ? full : maskGenerated(full);
  if (text.length <= longestVariant) return text;
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return `${text.slice(0, longestVariant - digest.length - 1)} ${digest}`;
}

/** The values of a matrix leg, with their names. */
function leaves(name: string, value: unknown): string[] {
  if (typeof value !== "object" || value === null) return name === "" ? [] : [`${name}=${value}`];
  return Object.entries(value).flatMap(([key, inner]) => leaves(name === "" ? key : `${name}.${key}`, inner));
}
