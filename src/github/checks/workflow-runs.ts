import type { CancelledWorkflowRuns, ForkRun, RerunResult } from "../../ports/code-host/checks.ts";
import { kindOf, messageOf, statusOf } from "../client/code-host-error.ts";
import { nullIfNotFound, type RepositoryApi } from "../client/repository-api.ts";

/** The events by which a pull request starts workflows. A `workflow_run` that follows them has the permissions of the base. */
const pullRequestEvents: ReadonlySet<string> = new Set(["pull_request", "pull_request_target"]);

/**
 * Reads a workflow run of a fork, with its pull requests. GitHub lists none for such a run (github/docs #22501), so they are
 * searched by the branch of the run.
 */
export async function readForkRun(api: RepositoryApi, run_id: number): Promise<ForkRun | null> {
  const run = await nullIfNotFound(
    api.octokit.rest.actions.getWorkflowRun({ ...api.at, run_id, exclude_pull_requests: true }),
  );
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

/** The paths of the workflow files that have one of these check suites; none if the App may not read them. */
export async function readWorkflowPaths(
  { octokit, at }: RepositoryApi,
  head_sha: string,
  suites: ReadonlySet<number>,
): Promise<string[]> {
  if (suites.size === 0) return [];
  try {
    const { data } = await octokit.rest.actions.listWorkflowRunsForRepo({ ...at, head_sha, per_page: 100 });
    const runs = data.workflow_runs.filter(({ check_suite_id: id }) => suites.has(id ?? 0));
    return [...new Set(runs.map(({ path }) => path))].sort();
  } catch (error) {
    if (kindOf(error) === "denied" || kindOf(error) === "not_found") return [];
    throw error;
  }
}

/**
 * Cancels the unfinished workflow runs of a branch. GitHub answers 409 for a run that has finished meanwhile.
 * https://docs.github.com/en/rest/actions/workflow-runs#cancel-a-workflow-run
 */
export async function cancelWorkflowRuns(api: RepositoryApi, branch: string): Promise<CancelledWorkflowRuns> {
  let cancelled = 0;
  try {
    const { data } = await api.octokit.rest.actions.listWorkflowRunsForRepo({
      ...api.at,
      branch,
      per_page: 100,
    });
    for (const { id, status } of data.workflow_runs) {
      if (status === "completed") continue;
      if (await cancel(api, id)) cancelled += 1;
    }
    return { cancelled, refused: null };
  } catch (error) {
    const kind = kindOf(error);
    if (kind !== "denied" && kind !== "not_found") throw error;
    return { cancelled, refused: messageOf(error) };
  }
}

async function cancel({ octokit, at }: RepositoryApi, run_id: number): Promise<boolean> {
  try {
    await octokit.rest.actions.cancelWorkflowRun({ ...at, run_id });
    return true;
  } catch (error) {
    if (statusOf(error) === 409) return false;
    throw error;
  }
}

/** GitHub's messages about reruns that it will never allow. Other denials may be temporary. */
const lasting = /unable to re-?run|cannot be re-?(run|tried)|month ago|already been re-?run/i;

/**
 * Reruns the failed jobs of a workflow run, which has a check suite of its own. GitHub reruns nothing while a job of the run is in
 * progress, and nothing that is older than a month.
 * https://docs.github.com/en/rest/actions/workflow-runs#re-run-failed-jobs-from-a-workflow-run
 */
export async function rerunFailedJobs(
  { octokit, at }: RepositoryApi,
  check_suite_id: number,
): Promise<RerunResult> {
  try {
    const { data } = await octokit.rest.actions.listWorkflowRunsForRepo({
      ...at,
      check_suite_id,
      per_page: 1,
    });
    const [run] = data.workflow_runs;
    if (!run) return { kind: "impossible", message: "the checks are not those of a workflow" };
    if (run.status !== "completed") return { kind: "busy" };
    await octokit.rest.actions.reRunWorkflowFailedJobs({ ...at, run_id: run.id });
    return { kind: "begun" };
  } catch (error) {
    const message = messageOf(error);
    if (statusOf(error) === 403 && lasting.test(message)) return { kind: "impossible", message };
    throw error;
  }
}
