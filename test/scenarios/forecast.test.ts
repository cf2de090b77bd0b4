import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { rowOf } from "../dashboard/page-text.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

test("a new queue forecasts nothing before a test has ended", async () => {
  stage = await Stage.open({ requiredChecks: null, queue: { requiredStatuses: ["never"] } });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  expect((await stage.until(pr, "testing")).forecast).toBeNull();
  await stage.comment(pr, "/trainyard status");
  expect(await stage.untilCommented(pr, /\*\*Testing\*\*/)).not.toContain("Should merge");
});

test("a queue forecasts when a pull request will merge once it has seen a test", async () => {
  stage = await Stage.open({ queue: {} });
  const first = await stage.openPullRequest("one");
  const second = await stage.openPullRequest("two");
  const submit = (pr: number) => stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await submit(first);
  expect((await stage.until(first, "merged")).forecast).toBeNull();

  stage.sandbox.setCi("acme/widgets", { lastStep: gate.lastStep });
  const before = Date.now();
  await submit(second);
  const { forecast } = await stage.until(second, "testing");
  expect(forecast?.basedOn).toBe(1);
  const [p50, p90] = [Date.parse(forecast?.p50 ?? ""), Date.parse(forecast?.p90 ?? "")];
  expect(p50).toBeGreaterThan(before);
  expect(p90).toBeGreaterThan(p50);
  const [item] = (await stage.client.getQueue(stage.queue)).enqueuedPullRequests;
  expect(item?.forecast?.basedOn).toBe(1);
  const explained = await stage.client.explainPullRequest({ ...stage.queue, pr: { number: second } });
  expect(explained.forecast?.basedOn).toBe(1);
  const row = await eventually(
    async () => rowOf(await (await fetch(stage.pageUrl)).text(), second) ?? null,
    "its row on the page",
  );
  expect(row.join(" ")).toMatch(/merges in about \d+ min/);
});
