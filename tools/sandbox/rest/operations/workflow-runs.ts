import { appOf, type Caller } from "../../auth/caller.ts";
import { hasFailed, latestRuns, summarizeSuite } from "../../world/checks/check.ts";
import { type WorkflowRequest, type WorkflowRun, workflowRunOf } from "../../world/checks/workflow-run.ts";
import type { Repository } from "../../world/repository.ts";
import type { World } from "../../world/world.ts";
import type { Handlers } from "../operation.ts";
import { paginate } from "../paginate.ts";
import { notFound, Refusal } from "../refusal.ts";
import { renderWorkflowRun } from "../render/workflow-run.ts";

type WorkflowRunOperation =
  | "actions/cancel-workflow-run"
  | "actions/get-workflow-run"
  | "actions/list-workflow-runs-for-repo"
  | "actions/re-run-job-for-workflow-run"
  | "actions/re-run-workflow"
  | "actions/re-run-workflow-failed-jobs";

export const workflowRunOperations: Handlers<WorkflowRunOperation> = {
  "actions/get-workflow-run": async (call) => {
    const { urls, repository } = call;
    return { status: 200, body: await renderWorkflowRun(urls, repository, runOrRefuse(call)) };
  },

  "actions/list-workflow-runs-for-repo": async (call) => {
    const { urls, query, repository } = call;
    const runs = [...repository.workflowRuns.values()]
      .filter(({ suite }) => query.check_suite_id === undefined || suite.id === query.check_suite_id)
      .filter(({ suite }) => query.head_sha === undefined || suite.headSha === query.head_sha)
      .filter(({ suite }) => query.branch === undefined || suite.headBranch === query.branch)
      .filter(({ event }) => query.event === undefined || event === query.event)
      .toReversed();
    const { page, headers } = paginate(call, runs);
    const workflow_runs = await Promise.all(page.map((run) => renderWorkflowRun(urls, repository, run)));
    return { status: 200, body: { total_count: runs.length, workflow_runs }, headers };
  },

  "actions/cancel-workflow-run": async (call) => {
    const run = runOrRefuse(call);
    if (isOver(run)) throw new Refusal(409, "Cannot cancel a workflow run that is completed.");
    // GitHub confirms the request at once, and ends the jobs a little later.
    call.world.background.run(() => ask(call, run, { action: "cancel" }));
    return { status: 202, body: {} };
  },

  "actions/re-run-workflow": async (call) => {
    const run = runOrRefuse(call);
    if (!isOver(run)) throw alreadyRunning();
    await ask(call, run, { action: "rerun", jobs: "all" });
    return { status: 201, body: {} };
  },

  "actions/re-run-workflow-failed-jobs": async (call) => {
    const run = runOrRefuse(call);
    if (!isOver(run)) throw alreadyRunning();
    if (!latestRuns(run.suite).some(hasFailed))
      throw new Refusal(403, "The workflow run cannot be retried: none of its jobs failed");
    await ask(call, run, { action: "rerun", jobs: "failed" });
    return { status: 201, body: {} };
  },

  "actions/re-run-job-for-workflow-run": async (call) => {
    const { path, repository } = call;
    // A job has the id of its check run.
    const job = repository.runs.get(Number(path.job_id));
    const run = job && workflowRunOf(repository, job.suite);
    if (!job || !run) throw notFound();
    if (!isOver(run)) throw alreadyRunning();
    await ask(call, run, { action: "rerun", jobs: [job.name] });
    return { status: 201, body: {} };
  },
};

interface RequestingCall {
  world: World;
  caller: Caller;
  repository: Repository;
}

function runOrRefuse({ path, repository }: { path: { run_id: number | bigint }; repository: Repository }) {
  const run = repository.workflowRuns.get(Number(path.run_id));
  if (run === undefined) throw notFound();
  return run;
}

const isOver = ({ suite }: WorkflowRun) => summarizeSuite(suite).status === "completed";
const alreadyRunning = () => new Refusal(403, "This workflow is already running");

async function ask(
  { world, caller, repository }: RequestingCall,
  run: WorkflowRun,
  request: WorkflowRequest,
) {
  const sender = caller.kind === "user" ? caller.account : appOf(caller)?.bot;
  if (!sender) throw notFound();
  await world.emit({ type: "workflow_request", repository, sender, suite: run.suite, request });
}
