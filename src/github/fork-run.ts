import type { Octokit } from "@octokit/rest";
import type { ForkRun } from "../ports/code-host.ts";
import type { Repository } from "./branches.ts";
import { statusOf } from "./code-host-error.ts";

/** The events by which a pull request starts workflows. A `workflow_run` after it has the rights of the base. */
const pullRequestEvents: ReadonlySet<string> = new Set(["pull_request", "pull_request_target"]);

/**
 * GitHub lists no pull requests for a fork's run (github/docs #22501), so that they are looked for by the branch that the run
 * is of.
 */
export async function readForkRun(octokit: Octokit, at: Repository, run_id: number): Promise<ForkRun | null> {
  const run = await getRun(octokit, at, run_id);
  const { head_repository: fork, head_branch: branch } = run ?? {};
  // A fork that was deleted is null, whatever the description says.
  if (!run || !fork || !branch || fork.id === run.repository.id) return null;
  if (run.status !== "in_progress" || !pullRequestEvents.has(run.event)) return null;
  const { data: pulls } = await octokit.rest.pulls.list({
    ...at,
    state: "open",
    head: `${fork.owner.login}:${branch}`,
    per_page: 100,
  });
  const ofFork = pulls.filter(({ head }) => head.repo?.id === fork.id && head.ref === branch);
  return { headSha: run.head_sha, pullRequests: ofFork.map(({ number }) => number) };
}

async function getRun(octokit: Octokit, at: Repository, run_id: number) {
  try {
    return (await octokit.rest.actions.getWorkflowRun({ ...at, run_id, exclude_pull_requests: true })).data;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
