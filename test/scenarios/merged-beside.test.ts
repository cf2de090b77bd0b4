import { afterEach, expect, test } from "@jest/globals";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

afterEach(async () => {
  gate.open();
  await stage.close();
});

test.each(variants(["squash", "merge"]))(
  "a pull request that somebody merges while it waits ends as merged, also if the webhook is lost (%s)",
  async (merge_method) => {
    gate = new Gate();
    stage = await Stage.open({
      queue: { concurrency: 1, mergeMethod: "squash" },
      ci: { lastStep: gate.lastStep },
      environment: { TRAINYARD_RECONCILE_MS: "86400000" },
    });
    const first = await stage.openPullRequest("one");
    const second = await stage.openPullRequest("two");
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: first } });
    await stage.until(first, "testing");
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: second } });
    stage.sandbox.setWebhookUrl(null);
    const at = { owner: "acme", repo: "widgets", pull_number: second };
    await stage.octokit("admin").rest.pulls.merge({ ...at, merge_method });
    stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
    gate.open();
    await stage.until(first, "merged");
    expect(await stage.until(second, "merged")).toMatchObject({ reason: "MERGED_BY_OTHERS" });
  },
);
