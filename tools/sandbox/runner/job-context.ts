import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FinishingJob } from "../ci/ci-settings.ts";
import { gitEnvironment } from "../git/run-git.ts";

interface JobPlace {
  readonly githubUrl: string;
  /** `owner/name` */
  readonly repository: string;
  readonly defaultBranch: string;
  /** The job's GitHub token. */
  readonly token: string;
}

/**
 * Builds the data that a step receives about its job: variables, the relevant part of the event, and contexts. `sha`: the commit
 * that is checked out.
 */
export function jobContext(job: FinishingJob, sha: string, { githubUrl, repository, ...place }: JobPlace) {
  const { pr, branch } = job;
  const about = { repository: { full_name: repository, default_branch: place.defaultBranch } };
  return {
    env: {
      GITHUB_ACTOR: "alice",
      GITHUB_API_URL: `${githubUrl}/api/v3`,
      GITHUB_SERVER_URL: githubUrl,
      GITHUB_REPOSITORY: repository,
      GITHUB_ACTION: "__trainyard_trainyard",
      GITHUB_WORKFLOW: job.workflow,
      GITHUB_JOB: job.job,
      GITHUB_RUN_ID: String(job.runId),
      GITHUB_RUN_ATTEMPT: String(job.runAttempt),
      GITHUB_SHA: sha,
      GITHUB_EVENT_NAME: pr === null ? "push" : "pull_request",
      GITHUB_REF: pr === null ? `refs/heads/${branch}` : `refs/pull/${pr}/merge`,
      GITHUB_REF_NAME: pr === null ? branch : `${pr}/merge`,
      GITHUB_REF_TYPE: "branch",
      GITHUB_HEAD_REF: pr === null ? "" : branch,
      RUNNER_OS: "Linux",
    },
    event: pr === null ? { ...about, after: sha } : { ...about, ...pullRequest(job, pr, repository, place) },
    expressions: {
      "github.token": place.token,
      "job.check_run_id": String(job.checkRunId),
      "toJSON(matrix)": JSON.stringify(job.leg === null ? null : { leg: job.leg }, null, 2),
    },
  };
}

function pullRequest(
  { sha, branch }: FinishingJob,
  number: number,
  repository: string,
  { defaultBranch }: Pick<JobPlace, "defaultBranch">,
) {
  const repo = { full_name: repository };
  const head = { sha, ref: branch, repo };
  return { number, pull_request: { number, head, base: { ref: defaultBranch, repo } } };
}

const run = promisify(execFile);
const identity = ["-c", "user.name=GitHub", "-c", "user.email=noreply@example.com"];

/**
 * Creates a checkout without files of the commit that a job tests; for a pull request, of its test merge. It uses the objects of
 * the bare repository. Returns its directory and the commit.
 */
export async function checkOut(
  { gitDirectory, sha, tree, pr }: Pick<FinishingJob, "gitDirectory" | "sha" | "tree" | "pr">,
  directory: string,
): Promise<{ readonly workspace: string; readonly commit: string }> {
  const workspace = await mkdtemp(join(directory, "checkout-"));
  const git = async (...args: string[]) =>
    (await run("git", [...identity, ...args], { cwd: workspace, env: gitEnvironment() })).stdout.trim();
  await git("init", "--quiet");
  await writeFile(join(workspace, ".git/objects/info/alternates"), `${join(gitDirectory, "objects")}\n`);
  const commit = pr === null ? sha : await git("commit-tree", tree, "-p", sha, "-m", "Test merge");
  await git("update-ref", "--no-deref", "HEAD", commit);
  return { workspace, commit };
}
