import { setTimeout as sleep } from "node:timers/promises";
import type { RequestOf, TrainyardClient } from "../../../src/client/client.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Person } from "./authors.ts";
import { countedFlake, forgivenFlake } from "./test-job.ts";

type Repo = RequestOf<"listUnhealthyTests">["repo"];

const patienceMs = 30_000;

/**
 * Replays what happened on main before the queue existed: CI failed in two tests, a person re-ran it, and it passed on the same
 * tree. From this, Trainyard detects both tests as flaky and quarantines them. A person then turns the quarantine of one of them
 * off. Returns the URL of that test's page.
 */
export async function makeFlakesKnown(
  sandbox: Sandbox,
  { octokit }: Person,
  client: TrainyardClient,
  repo: Repo,
): Promise<string> {
  const at = { owner: repo.owner, repo: repo.name };
  const { data: main } = await octokit.rest.repos.getBranch({ ...at, branch: "main" });
  const { data } = await octokit.rest.actions.listWorkflowRunsForRepo({ ...at, head_sha: main.commit.sha });
  for (const { id } of data.workflow_runs)
    await octokit.rest.actions.reRunWorkflowFailedJobs({ ...at, run_id: id });
  await sandbox.settled();
  const flaky = { repo, org_url_slug: repo.owner, page_query: { page_size: 10 } };
  const counted = await until(async () => {
    const { unhealthy_tests: found } = await client.listUnhealthyTests(flaky);
    return found.find(({ name }) => name === countedFlake.name);
  }, `"${countedFlake.name}" to be known as flaky`);
  await client.setQuarantine({
    repo,
    test_case_id: counted.test_case_id,
    quarantine_setting: "NEVER_QUARANTINE",
    reason: "its failures are looked into",
  });
  await until(async () => {
    const { quarantined_tests: found } = await client.listQuarantinedTests(flaky);
    const names = found.map(({ name }) => name);
    return names.includes(forgivenFlake.name) && !names.includes(countedFlake.name) ? names : undefined;
  }, `"${forgivenFlake.name}" to be quarantined`);
  const { test } = await client.getTestDetails({
    repo,
    org_url_slug: repo.owner,
    test_id: counted.test_case_id,
  });
  return test.html_url;
}

async function until<T>(ask: () => Promise<T | undefined>, what: string): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain for ${what}`);
    await sleep(50);
  }
}
