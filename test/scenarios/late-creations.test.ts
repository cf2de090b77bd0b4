import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { carryOn, dieNow } from "./left-behind.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let proxy: GitHubProxy;
let gate: Gate;
let offsetMs = 0;

beforeEach(async () => {
  gate = new Gate();
  stage = await Stage.open({
    needsFile: true,
    queue: {},
    ci: { lastStep: gate.lastStep },
    clock: { now: () => Date.now() + offsetMs },
    environment: { TRAINYARD_LEASE_MS: "500" },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
});

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy.close();
});

/** The number of publish tasks in the outbox: first attempts and retries. */
function publishTasks(): { first: number; again: number } {
  const database = new DatabaseSync(stage.databaseUrl.replace(/^sqlite:/, ""), { readOnly: true });
  const contents = database.prepare(`select content from outbox where content like '%"publish"%'`).all();
  database.close();
  const again = contents.filter(({ content }) => String(content).includes('"again":true')).length;
  return { first: contents.length - again, again };
}

test("attempts that an outage has delayed and that run at the same time afterwards create one comment", async () => {
  const pr = await stage.openPullRequest("one");
  proxy.beforeNextQuery(/addComment/, async () => proxy.cut());
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await eventually(async () => (publishTasks().again === 1 ? true : null), "a try that failed");
  proxy.beforeNextQuery(/addComment/, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  });
  offsetMs += 3_600_000;
  proxy.restore();
  await eventually(async () => (publishTasks().first === 0 ? true : null), "a try that succeeds");
  expect(await stage.ourComments(pr)).toHaveLength(1);
});

test.each([
  ["comment", /addComment/, (pr: number) => stage.ourComments(pr)],
  ["check", /createCheckRun/, async (pr: number) => stage.ourChecks((await stage.pull(pr)).head.sha)],
])(
  "a %s that GitHub creates long after the service has died is kept up to date by the next process",
  async (_what, mutation, ours) => {
    const pr = await stage.openPullRequest("one");
    const called = Promise.withResolvers<void>();
    const created = Promise.withResolvers<void>();
    proxy.beforeNextQuery(mutation, async () => {
      called.resolve();
      await created.promise;
    });
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    await called.promise;
    await carryOn(stage, proxy, dieNow(stage, proxy));
    await eventually(async () => ((await ours(pr)).length === 1 ? true : null), "one of the next process");
    created.resolve();
    await eventually(async () => ((await ours(pr)).length === 2 ? true : null), "the late one");
    offsetMs += 61_000;
    gate.open();
    await stage.until(pr, "merged");
    await stage.untilCommented(pr, /\*\*Merged\*\*/);
    const { head } = await stage.pull(pr);
    await eventually(async () => {
      const [latest] = (await stage.ourChecks(head.sha)).sort((a, b) => b.id - a.id);
      return latest?.conclusion === "success" ? latest : null;
    }, "the latest check to be a success");
  },
);
