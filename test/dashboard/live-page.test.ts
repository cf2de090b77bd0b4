import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { fastify } from "fastify";
import { pino } from "pino";
import { LivePages } from "../../src/dashboard/live.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { EventStream } from "./event-stream.ts";
import { browserTest, byHand, inBrowser, type OpenPage, type Viewer } from "./viewers.ts";

let stage: Stage;
let page: OpenPage | null = null;

beforeEach(async () => {
  stage = await Stage.open({
    queue: { state: "paused", requiredStatuses: ["build"] },
    ci: { durationMs: [1_000, 1_000], pullRequests: false },
    requiredChecks: null,
  });
});

afterEach(async () => {
  await page?.close();
  page = null;
  await stage.close();
});

test("seen by fetch, the queue page follows a pull request from queued to merged without a reload", () =>
  follow(byHand));
browserTest(
  "seen in a browser, the queue page follows a pull request from queued to merged without a reload",
  () => follow(inBrowser),
);

test("a page that is being drawn when the service stops does not end the process", async () => {
  const live = new LivePages(pino({ level: "silent" }));
  let draws = 0;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const app = fastify();
  app.get("/", (_request, reply) =>
    live.open("page", reply, async () => {
      if (++draws > 1) await stopped;
      return `drawn ${draws}`;
    }),
  );
  const events = await EventStream.open(await app.listen());
  expect(await events.next()).toBe("drawn 1");
  live.changed("page");
  await eventually(async () => draws === 2 || null, "the second drawing");
  stop();
  live.close();
  expect(await events.next()).toBeNull();
  await app.close();
});

async function follow(viewer: Viewer): Promise<void> {
  const title = '<script>alert("title")</script>';
  const pr = await stage.openPullRequest("good", undefined, { title });
  const open = await viewer.open(stage.pageUrl);
  page = open;
  const says = (text: RegExp) =>
    eventually(async () => text.exec(await open.text()), `the page to say ${text}`);

  await says(/In the queue 0 Nothing is waiting\./);
  await stage.comment(pr, "/trainyard merge");
  await says(new RegExp(`In the queue 1 .*1 #${pr} <script>.* pending the queue is paused`));
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
  await says(/testing waiting for build/);
  await says(new RegExp(`In the queue 0 .*Ended #${pr} .* merged as \\w{7} ?exactly the tree that passed`));

  expect(open.problems()).toEqual([]);
  expect(open.loads()).toBe(1);
}
