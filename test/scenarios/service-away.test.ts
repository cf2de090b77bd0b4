import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let gate: Gate;
let offsetMs: number;

const hourMs = 3_600_000;

async function open(queue: StageOptions["queue"] = {}): Promise<void> {
  offsetMs = 0;
  gate = new Gate();
  stage = await Stage.open({
    queue: { testingTimeoutMinutes: 60, notReadyTimeoutHours: 2, ...queue },
    ci: { lastStep: gate.lastStep },
    clock: { now: () => Date.now() + offsetMs },
    environment: { TRAINYARD_RECONCILE_MS: "200" },
  });
}

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** Stops the service, lets something happen without a webhook, and starts the service again after some hours. */
async function away(hours: number, meanwhile: () => Promise<unknown>): Promise<void> {
  await stage.stopService();
  stage.sandbox.setWebhookUrl(null);
  await meanwhile();
  await stage.sandbox.settled();
  stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
  offsetMs += hours * hourMs;
  await stage.startService();
}

test("a pull request whose tests passed while the service was away for longer than they may take merges", async () => {
  await open({ policy: "fixed" });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await away(3, async () => gate.open());
  await stage.until(pr, "merged");
});

test("what was cancelled by a comment while the service was away does not merge, although its tests passed meanwhile", async () => {
  await open({ policy: "fixed" });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  const operation = "issues/list-comments-for-repo";
  await away(0, async () => {
    await stage.comment(pr, "/trainyard cancel");
    gate.open();
    await stage.sandbox.settled();
    stage.sandbox.faults.next({ operation, kind: "latency", side: "before", latencyMs: 4_000 });
  });
  expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "CANCELLED_BY_USER" });
});

test("a test that is still in progress when its time is over fails, also if the service was away", async () => {
  await open({ policy: "fixed" });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await stage.stopService();
  offsetMs += 3 * hourMs;
  await stage.startService();
  expect(await stage.until(pr, "failed")).toMatchObject({ reason: "TESTING_TIMEOUT" });
});

test("nothing times out while GitHub does not answer", async () => {
  await open({ policy: "fixed" });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  const operations = ["checks/list-for-ref", "repos/list-commit-statuses-for-ref"];
  const mends = operations.map((operation) =>
    stage.sandbox.faults.next({ operation, kind: "500", side: "before", count: 10_000 }),
  );
  const failed = () => stage.sandbox.faults.injected.length;
  await away(3, async () => gate.open());
  const before = failed();
  await eventually(async () => (failed() > before + 3 ? true : null), "some readings to fail");
  expect((await stage.look(pr))?.state).toBe("testing");
  for (const mend of mends) mend();
  await stage.until(pr, "merged");
});

test("a draft that was made ready while the service was away for longer than drafts may wait is tested", async () => {
  await open();
  gate.open();
  const pr = await stage.openPullRequest("one", undefined, { draft: true });
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "not_ready");
  await away(5, () => stage.update(pr, { draft: false }));
  await stage.until(pr, "merged");
});

test("the label that submitted a pull request is removed by a service that was away for hours since the merge", async () => {
  await open();
  gate.open();
  const operation = "issues/remove-label";
  const mend = stage.sandbox.faults.next({ operation, kind: "500", side: "before", count: 10_000 });
  const pr = await stage.openPullRequest("one");
  await stage.label(pr, "trainyard:merge");
  await stage.until(pr, "merged");
  const labels = async () => (await stage.pull(pr)).labels.map(({ name }) => name);
  expect(await labels()).toContain("trainyard:merge");
  await away(3, async () => mend());
  await eventually(
    async () => ((await labels()).includes("trainyard:merge") ? null : true),
    "the label to be removed",
  );
});
