import type { RerunResult } from "../../ports/code-host/checks.ts";
import { messageOf, statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

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
