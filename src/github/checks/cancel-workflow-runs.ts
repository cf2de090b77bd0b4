import type { CancelledWorkflowRuns } from "../../ports/code-host/checks.ts";
import { CodeHostError, statusOf, toCodeHostError } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

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
    const failure = toCodeHostError(error);
    if (failure instanceof CodeHostError && (failure.kind === "denied" || failure.kind === "not_found"))
      return { cancelled, refused: failure.message };
    throw failure;
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
