import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

const reading = (name: string, labels: Record<string, string>) =>
  stage.metric(name, { organisation: "acme", ...labels });

async function untilCounted(name: string, labels: Record<string, string>): Promise<void> {
  await eventually(
    async () => (((await reading(name, labels)) ?? 0) > 0 ? true : null),
    `${name} ${JSON.stringify(labels)}`,
  );
}

test("the metrics time webhooks from receipt to handling, and count nothing as recovered by polling", async () => {
  // Polling is off, because it would also find events whose webhooks are only late.
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_RECONCILE_MS: "86400000" } });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  await untilCounted("trainyard_inbox_lag_seconds_count", { source: "webhook" });
  await untilCounted("trainyard_command_duration_seconds_count", { command: "submitPullRequest" });
  expect(await reading("trainyard_inbox_lag_seconds_count", { source: "poll" })).toBe(0);
  for (const what of ["comment", "label", "checks", "base", "pull_request"])
    expect(await reading("trainyard_recovered_by_polling_total", { what })).toBe(0);
});

test("the metrics count events that polling recovers when every webhook is lost", async () => {
  stage = await Stage.open({
    queue: {},
    sandbox: { webhooks: { drop: 1 } },
    environment: { TRAINYARD_RECONCILE_MS: "200" },
  });
  const [by, label] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  await stage.comment(by, "/trainyard merge");
  await stage.until(by, "merged");
  await stage.label(label, "trainyard:merge");
  await stage.until(label, "merged");
  await untilCounted("trainyard_inbox_lag_seconds_count", { source: "poll" });
  expect(await reading("trainyard_inbox_lag_seconds_count", { source: "webhook" })).toBe(0);
  const counts = ["comment", "label", "checks"].map((what) =>
    reading("trainyard_recovered_by_polling_total", { what }),
  );
  expect(await Promise.all(counts)).toEqual([1, 1, 2]);
});
