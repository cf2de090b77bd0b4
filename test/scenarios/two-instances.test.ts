import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "@jest/globals";
import { createClient } from "../../src/client/client.ts";
import { queuePath } from "../../src/dashboard/paths.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { MovedClock } from "./moved-clock.ts";
import { Stage } from "./stage.ts";
import { environmentOn, type RunningService, startHere } from "./stage-service.ts";

let stage: Stage;
let gate: Gate;
let second: RunningService | undefined;

afterEach(async () => {
  gate.open();
  await second?.close();
  await stage.close();
});

test("a service on a restored backup stops when it sees that the original service still runs, and continues when the original is silent", async () => {
  gate = new Gate();
  const first = new MovedClock();
  first.pass(-180_000);
  const ci = { lastStep: gate.lastStep };
  stage = await Stage.open({ queue: { concurrency: 4 }, ci, needsFile: true, clock: first });
  const before = await stage.openPullRequest("before", undefined, { settle: false });
  await stage.comment(before, "/trainyard merge");
  await stage.untilCommented(before, /\*\*Queued\*\*/);

  const file = stage.databaseUrl.replace("sqlite:", "");
  const database = new DatabaseSync(file);
  // The copy has to know the comment.
  const tasks = database.prepare(`select 1 from outbox where content like '%"publish"%'`);
  await eventually(async () => (tasks.get() === undefined ? true : null), "the comment to be recorded");
  database.exec(`vacuum into '${file}.copy'`);
  database.close();
  first.pass(180_000);
  const clock = new MovedClock();
  // What was written within a minute of the restore may be by a service that ended then.
  clock.pass(-120_000);
  const environment = environmentOn(stage.sandbox, `sqlite:${file}.copy`);
  second = await startHere({ ...environment, TRAINYARD_RECONCILE_MS: "300" }, clock);
  const { url } = second;
  const client = createClient({ baseUrl: url, token: stage.token, timeoutMs: 180_000 });

  const after = await stage.openPullRequest("after", undefined, { settle: false });
  await stage.comment(after, "/trainyard merge");
  await eventually(
    async () => ((await client.getQueue(stage.queue)).state === "paused" ? true : null),
    "the second service to pause its queue",
  );
  const { findings } = await client.examineQueue(stage.queue);
  expect(findings).toContainEqual(expect.objectContaining({ code: "OLDER_INSTANCE", severity: "error" }));
  const page = await fetch(url + queuePath({ repo: stage.queue.repo, branch: "main" }));
  expect(await page.text()).toContain("an older service with the same App and another database");

  gate.open();
  for (const pr of [before, after]) {
    await stage.until(pr, "merged");
    // The second service may have commented before it noticed the first one.
    const isTold = async () => (await stage.ourComments(pr)).some((body) => body.includes("**Merged**"));
    await eventually(async () => ((await isTold()) ? true : null), `a comment that #${pr} has merged`);
  }
  expect((await stage.client.getQueue(stage.queue)).state).toBe("running");

  await stage.stopService();
  clock.pass(65 * 60_000);
  await eventually(
    async () => ((await client.getQueue(stage.queue)).state === "running" ? true : null),
    "the second service to go on",
  );
});
