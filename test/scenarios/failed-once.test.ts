import { afterEach, expect, test } from "@jest/globals";
import { reportCheck } from "./report-check.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

test("with one slot, a pull request whose test fails once by chance is tested again and merges, and its author sees the failed check", async () => {
  stage = await Stage.open({
    queue: { concurrency: 1, batch: false, requiredStatuses: ["deploy"] },
    ci: { pullRequests: false, branches: [] },
    requiredChecks: null,
    // A check by our own App causes no webhook.
    environment: { TRAINYARD_RECONCILE_MS: "200" },
  });
  const flaky = await stage.openPullRequest("one");
  const other = await stage.openPullRequest("two");
  for (const number of [flaky, other])
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });

  await stage.until(flaky, "testing");
  const failed = await reportCheck(stage, { name: "deploy", conclusion: "failure" });
  const waiting = await stage.until(flaky, "pending");
  expect(waiting.reason).toBe("FAILED_ONCE");
  const comment = await stage.untilCommented(flaky, /It is tested once more before it is removed/);
  expect(comment).toMatch(/@\S+: Required check failed: deploy\. It is tested once more/);
  expect(comment).toMatch(/\| \[`deploy`\]\(http.*\) \| failure \|/);

  await stage.until(other, "testing");
  const passed = await reportCheck(stage, { name: "deploy", conclusion: "success", except: [failed] });
  await stage.until(other, "merged");
  await reportCheck(stage, { name: "deploy", conclusion: "success", except: [failed, passed] });
  expect(await stage.until(flaky, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
});
