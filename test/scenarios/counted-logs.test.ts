import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "@jest/globals";
import { parsePrometheus } from "../api/prometheus.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

/** The counters of the queue, which only change when something happens in it. */
async function counters(): Promise<Record<string, number>> {
  const headers = { "x-api-token": stage.token };
  const response = await fetch(`${stage.url}/v1/getMergeQueueMetrics`, { headers });
  const own = parsePrometheus(await response.text()).filter(
    ({ name, labels }) => labels.branch === "main" && /^trainyard_(transitions|test|time)/.test(name),
  );
  return Object.fromEntries(
    own.map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]),
  );
}

test("a log without stored counters, as from an earlier version, is counted after the start, and later events are added", async () => {
  stage = await Stage.open({ queue: {}, needsFile: true });
  const merged = await stage.openPullRequest("one");
  await stage.comment(merged, "/trainyard merge");
  await stage.until(merged, "merged");
  const before = await counters();
  expect(Object.keys(before).length).toBeGreaterThan(20);
  await stage.stopService();
  {
    using database = new DatabaseSync(stage.databaseUrl.replace("sqlite:", ""));
    database.exec("delete from tallies");
  }
  await stage.startService();
  const after = await eventually(async () => {
    const found = await counters();
    return Object.keys(found).length > 0 ? found : null;
  }, "the log to be counted");
  expect(after).toEqual(before);
  const next = await stage.openPullRequest("two");
  await stage.comment(next, "/trainyard merge");
  await stage.until(next, "merged");
  const name = `trainyard_time_in_queue_seconds_count ${JSON.stringify({ repo: "acme/widgets", branch: "main" })}`;
  expect(before[name]).toBe(1);
  expect((await counters())[name]).toBe(2);
});
