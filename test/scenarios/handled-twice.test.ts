import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { carryOn, dieNow } from "./left-behind.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let proxy: GitHubProxy;

/** Tests that never end, because the required check is never reported. */
const endless: StageOptions = { requiredChecks: null, queue: { requiredStatuses: ["never"] } };
const pushed = { "facts/good.json": '{"sets":["pushed"]}\n' };

async function open(): Promise<Stage> {
  stage = await Stage.open({
    needsFile: true,
    ...endless,
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
  return stage;
}

afterEach(async () => {
  await stage.close();
  await proxy.close();
});

/** Lets the process die at the next reaction. Returns the database that it leaves: the command was carried out and is still in the inbox. */
async function diesAtReaction(): Promise<string> {
  stage.sandbox.faults.next({ operation: "graphql/addReaction", kind: "latency", latencyMs: 20_000 });
  await eventually(async () => stage.sandbox.faults.injected.at(-1) ?? null, "the reaction");
  return dieNow(stage, proxy);
}

/** Waits until the inbox is empty. */
async function untilHandled(databaseUrl: string): Promise<void> {
  const database = new DatabaseSync(databaseUrl.replace(/^sqlite:/, ""), { readOnly: true });
  const depth = database.prepare("select count(*) as rows from inbox");
  await eventually(async () => (depth.get()?.rows === 0 ? true : null), "the inbox to be empty");
  database.close();
}

/** Waits until the next second has just begun, so that later events have its time. */
const nextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 5);

test("a comment that is carried out twice does not submit a head that it refused at first", async () => {
  await open();
  const pr = await stage.openPullRequest("good");
  await nextSecond();
  const left = new Promise<string>((resolve) => {
    proxy.beforeNext("GET", /\/collaborators\/bob\/permission/, async () => {
      await stage.push("good", pushed);
      diesAtReaction().then(resolve);
    });
  });
  await stage.comment(pr, "/trainyard merge", "bob");
  await carryOn(stage, proxy, await left);
  await untilHandled(await left);
  await stage.untilCommented(pr, /\(`(HEAD_MISMATCH|PUSHED_SINCE|HEAD_NOT_PROVEN)`\)/);
  expect(await stage.look(pr)).toBeNull();
});

test("a comment that is carried out twice does not submit a head that was pushed in between", async () => {
  await open();
  await stage.stopService();
  const pr = await stage.openPullRequest("good", undefined, { settle: false });
  const { head } = await stage.pull(pr);
  await stage.startService();
  await stage.client.updateQueue({ ...stage.queue, state: "paused" });
  const left = diesAtReaction();
  await stage.comment(pr, "/trainyard merge", "bob");
  await left;
  await stage.push("good", pushed);
  await carryOn(stage, proxy, await left);
  await untilHandled(await left);
  expect(await stage.look(pr)).toMatchObject({ prSha: head.sha });
});

/** As if the process had died between the submission and its note. */
function forgetCommands(databaseUrl: string): void {
  const database = new DatabaseSync(databaseUrl.replace(/^sqlite:/, ""));
  database.exec("delete from last_commands");
  database.close();
}

test("a comment that submitted a draft is not refused when it is handled again after a push", async () => {
  await open();
  const pr = await stage.openPullRequest("good", undefined, { draft: true });
  await nextSecond();
  const left = diesAtReaction();
  const comment = await stage.comment(pr, "/trainyard merge");
  forgetCommands(await left);
  await nextSecond();
  await stage.push("good", pushed);
  await carryOn(stage, proxy, await left);
  await untilHandled(await left);
  expect(await stage.untilReacted(comment)).toBe("+1");
  expect((await stage.look(pr))?.isCurrentlySubmittedToQueue).toBe(true);
});
