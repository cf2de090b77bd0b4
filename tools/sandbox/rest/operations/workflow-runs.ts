import { appOf, type Caller } from "../../auth/authorize.ts";
import {
  hasFailed,
  latestRuns,
  summarizeSuite,
  type WorkflowRequest,
  type WorkflowRun,
  workflowRunOf,
} from "../../world/checks/check.ts";
import type { Repository } from "../../world/repository.ts";
import type { World } from "../../world/world.ts";
import { paginate } from "../lookups.ts";
import type { Handlers, Schema } from "../operation.ts";
import { notFound, Refusal } from "../refusal.ts";
import { renderAccount } from "../render/account.ts";
import { renderHeadCommit, renderPulls } from "../render/check.ts";
import { renderRepository } from "../render/repository.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";

export const workflowRunOperations = {
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
} satisfies Handlers;

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

async function renderWorkflowRun(urls: Urls, repository: Repository, run: WorkflowRun) {
  const { suite, workflow } = run;
  const url = `${urls.repository(repository)}/actions/runs/${run.id}`;
  const commit = await repository.git.commit(suite.headSha);
  const actor = renderAccount(urls, run.actor);
  return {
    id: run.id,
    node_id: nodeId("WorkflowRun", run.id),
    name: workflow.name,
    path: workflow.path,
    workflow_id: workflow.id,
    workflow_url: `${urls.repository(repository)}/actions/workflows/${workflow.id}`,
    display_title: run.title,
    run_number: run.number,
    run_attempt: run.attempt,
    event: run.event,
    ...(run.isPending ? { status: "pending", conclusion: null } : summarizeSuite(suite)),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    head_commit: commit && renderHeadCommit(commit),
    repository: renderRepository(urls, repository),
    head_repository: renderRepository(urls, run.headRepository),
    // GitHub lists no pull requests for a run of a fork.
    pull_requests: run.headRepository === repository ? renderPulls(urls, repository, suite.headSha) : [],
    actor,
    triggering_actor: actor,
    check_suite_id: suite.id,
    check_suite_node_id: nodeId("CheckSuite", suite.id),
    check_suite_url: `${urls.repository(repository)}/check-suites/${suite.id}`,
    created_at: isoTime(suite.createdAt),
    updated_at: isoTime(suite.updatedAt),
    run_started_at: isoTime(suite.createdAt),
    url,
    html_url: `${urls.html(repository)}/actions/runs/${run.id}`,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: null,
  } satisfies Schema<"workflow-run">;
}
