import { afterEach, expect, test } from "@jest/globals";
import { damagePages } from "../store/damage-pages.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

test("a service that was started on damaged pages says so to probes, doctor and Prometheus, and serves meanwhile", async () => {
  stage = await Stage.open({ queue: {}, needsFile: true });
  await stage.stopService();
  damagePages(stage.databaseUrl.replace("sqlite:", ""), 4);
  await stage.startService();
  const probe = async () => (await fetch(`${stage.url}/readyz`)).json() as Promise<{ code?: string }>;
  const { code } = await eventually(async () => {
    const answer = await probe();
    return answer.code ? answer : null;
  }, "the damage to be found");
  expect(code).toBe("DATABASE_CORRUPT");
  const { findings } = await stage.client.examineQueue(stage.queue);
  expect(findings).toContainEqual(expect.objectContaining({ code: "DATABASE_DAMAGED", severity: "error" }));
  const headers = { "x-api-token": stage.token };
  const metrics = await (await fetch(`${stage.url}/v1/getMergeQueueMetrics`, { headers })).text();
  expect(metrics).toMatch(/^trainyard_database_damaged\{.*\} 1$/m);
  const pr = await stage.openPullRequest("good");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
});
