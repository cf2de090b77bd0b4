import type { TrainyardClient } from "../../../src/client/client.ts";
import type { RunningDemo } from "../../../tools/lab/demo/run-demo.ts";

/** What the API answers about a queue and its tests, without forecasts and reasons to wait, which depend on the moment. */
export async function readAnswers(
  client: TrainyardClient,
  queue: RunningDemo["queue"],
  pullRequests: readonly number[],
) {
  const entries = [];
  for (const number of pullRequests) {
    const entry = await client.getSubmittedPullRequest({ ...queue, pr: { number } });
    entries.push({ ...entry, forecast: null, why: [] });
  }
  const { repo } = queue;
  const ofTests = { repo, org_url_slug: repo.owner, page_query: { page_size: 100 } };
  return {
    entries,
    queue: await client.getQueue(queue),
    unhealthy: (await client.listUnhealthyTests(ofTests)).unhealthy_tests,
    quarantined: (await client.listQuarantinedTests(ofTests)).quarantined_tests,
    audited: (await client.listAuditLog({ take: 100 })).entries,
  };
}
