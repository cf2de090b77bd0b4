import { appOf } from "../../auth/caller.ts";
import { hasFailed, latestRuns, summarizeSuite } from "../../world/check.ts";
import type { Handlers } from "../operation.ts";
import { paginate } from "../paginate.ts";
import { notFound, Refusal } from "../refusal.ts";
import { renderWorkflowRun } from "../render/workflow-run.ts";

type WorkflowRunOperation =
  | "actions/get-workflow-run"
  | "actions/list-workflow-runs-for-repo"
  | "actions/re-run-workflow-failed-jobs";

export const workflowRunOperations: Handlers<WorkflowRunOperation> = {
  "actions/get-workflow-run": async ({ urls, path, repository }) => {
    const run = repository.workflowRuns.get(path.run_id);
    if (run === undefined) throw notFound();
    return { status: 200, body: await renderWorkflowRun(urls, repository, run) };
  },

  "actions/list-workflow-runs-for-repo": async (call) => {
    const { urls, query, repository } = call;
    const runs = [...repository.workflowRuns.values()]
      .filter(({ suite }) => query.check_suite_id === undefined || suite.id === query.check_suite_id)
      .filter(({ suite }) => query.head_sha === undefined || suite.headSha === query.head_sha)
      .toReversed();
    const { page, headers } = paginate(call, runs);
    const workflow_runs = await Promise.all(page.map((run) => renderWorkflowRun(urls, repository, run)));
    return { status: 200, body: { total_count: runs.length, workflow_runs }, headers };
  },

  "actions/re-run-workflow-failed-jobs": async ({ world, caller, path, repository }) => {
    const run = repository.workflowRuns.get(path.run_id);
    if (run === undefined) throw notFound();
    const { suite } = run;
    if (summarizeSuite(suite).status !== "completed")
      throw new Refusal(403, "This workflow is already running");
    if (!latestRuns(suite).some(hasFailed))
      throw new Refusal(403, "The workflow run cannot be retried: none of its jobs failed");
    const sender = caller.kind === "user" ? caller.account : appOf(caller)?.bot;
    if (!sender) throw notFound();
    await world.emit({ type: "failed_jobs_rerun", repository, sender, suite });
    return { status: 201, body: {} };
  },
};
