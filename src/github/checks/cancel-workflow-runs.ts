import type { Octokit } from "@octokit/rest";
import type { CancelledWorkflowRuns } from "../../ports/code-host/checks.ts";
import { CodeHostError, statusOf, toCodeHostError } from "../client/code-host-error.ts";
import type { Repository } from "../test-commits/branches.ts";

/**
 * Cancels the unfinished workflow runs of a branch. GitHub answers 409 for a run that has finished meanwhile.
 * https://docs.github.com/en/rest/actions/workflow-runs#cancel-a-workflow-run
 */
export async function cancelWorkflowRuns(
  octokit: Octokit,
  at: Repository,
  branch: string,
): Promise<CancelledWorkflowRuns> {
  let cancelled = 0;
  try {
    const { data } = await octokit.rest.actions.listWorkflowRunsForRepo({ ...at, branch, per_page: 100 });
    for (const { id, status } of data.workflow_runs) {
      if (status === "completed") continue;
      if (await cancel(octokit, at, id)) cancelled += 1;
    }
    return { cancelled, refused: null };
  } catch (error) {
    const failure = toCodeHostError(error);
    if (failure instanceof CodeHostError && (failure.kind === "denied" || failure.kind === "not_found"))
      return { cancelled, refused: failure.message };
    throw failure;
  }
}

async function cancel(octokit: Octokit, at: Repository, run_id: number): Promise<boolean> {
  try {
    await octokit.rest.actions.cancelWorkflowRun({ ...at, run_id });
    return true;
  } catch (error) {
    if (statusOf(error) === 409) return false;
    throw error;
  }
}
