import { summarizeSuite } from "../../world/checks/check.ts";
import type { WorkflowRun } from "../../world/checks/workflow-run.ts";
import type { Repository } from "../../world/repository.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";
import { renderAccount } from "./account.ts";
import { renderHeadCommit, renderPulls } from "./check.ts";
import { renderRepository } from "./repository.ts";
import type { Schema } from "./schema-types.ts";

export async function renderWorkflowRun(urls: Urls, repository: Repository, run: WorkflowRun) {
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
