import type { ForkRun } from "../../ports/code-host/checks.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

/** The events by which a pull request starts workflows. A `workflow_run` that follows them has the permissions of the base. */
const pullRequestEvents: ReadonlySet<string> = new Set(["pull_request", "pull_request_target"]);

/**
 * Reads a workflow run of a fork, with its pull requests. GitHub lists none for such a run (github/docs #22501), so they are
 * searched by the branch of the run.
 */
export async function readForkRun(api: RepositoryApi, run_id: number): Promise<ForkRun | null> {
  const run = await getRun(api, run_id);
  const { head_repository: fork, head_branch: branch } = run ?? {};
  // The repository of a deleted fork is null, although the API description says otherwise.
  if (!run || !fork || !branch || fork.id === run.repository.id) return null;
  if (run.status !== "in_progress" || !pullRequestEvents.has(run.event)) return null;
  const { data: pulls } = await api.octokit.rest.pulls.list({
    ...api.at,
    state: "open",
    head: `${fork.owner.login}:${branch}`,
    per_page: 100,
  });
  const ofFork = pulls.filter(({ head }) => head.repo?.id === fork.id && head.ref === branch);
  return { headSha: run.head_sha, pullRequests: ofFork.map(({ number }) => number) };
}

async function getRun({ octokit, at }: RepositoryApi, run_id: number) {
  try {
    return (await octokit.rest.actions.getWorkflowRun({ ...at, run_id, exclude_pull_requests: true })).data;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
