import { afterEach, expect, test } from "@jest/globals";
import { reportCheck } from "./report-check.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

test("a pull request whose required check is cancelled does not fail, but is tested again and merges", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["deploy"] },
    ci: { pullRequests: false, branches: [] },
    requiredChecks: null,
    // A check by our own App causes no webhook.
    environment: { TRAINYARD_RECONCILE_MS: "200" },
  });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  // It is not tested again before the test has seen that it waits.
  await stage.client.updateQueue({ ...stage.queue, state: "paused" });
  const cancelled = await reportCheck(stage, { name: "deploy", conclusion: "cancelled" });
  const waiting = await stage.until(pr, "pending");
  expect(waiting.reason).toBe("INFRASTRUCTURE_ERROR");
  expect(waiting.why).toContainEqual(
    expect.objectContaining({
      code: "RETRY_SCHEDULED",
      text: expect.stringContaining("deploy ended as cancelled"),
    }),
  );
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
  await stage.until(pr, "testing");
  await reportCheck(stage, { name: "deploy", conclusion: "success", except: [cancelled] });
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
});
