import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate: Gate;
let opened = 0;

beforeAll(async () => {
  stage = await Stage.open({
    queue: {},
    environment: { TRAINYARD_RECONCILE_MS: "1000" },
    ci: { lastStep: (job) => gate.lastStep(job) },
  });
});
afterAll(() => stage.close());
beforeEach(() => {
  gate = new Gate();
});
// Otherwise CI would never end after a test that failed.
afterEach(() => gate.open());

/** For each stale state that GitHub can show, the author's action that changes it. */
const before: Record<string, (pr: number, name: string) => Promise<void>> = {
  "its old head": (_pr, name) => stage.push(name, { [`facts/${name}.json`]: '{ "sets": [] }\n' }),
  "a draft": (pr) => stage.update(pr, { draft: false }),
  "a closed pull request": (pr) => stage.update(pr, { state: "open" }),
};

/** What the reconciler and the last look before the merge call. */
const operations = ["graphql/repository", "pulls/get", "pulls/list"];

test.each(Object.keys(before))(
  "a pull request stays in the queue although GitHub shows %s again",
  async (what) => {
    const { pr, staleMs } = await submitted(what);
    await stage.until(pr, "testing");
    const seen = olderReadings();
    for (const operation of operations)
      stage.sandbox.faults.next({ operation, kind: "stale", staleMs, lastsMs: 1_500 });
    // The webhook of the review makes the service read the pull request.
    await stage.review(pr, "COMMENT");
    await olderReading(seen);
    await sleep(1_600);
    expect(await stage.look(pr)).toMatchObject({ state: "testing" });
    gate.open();
    expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
  },
);

test("a pull request stays in the queue although GitHub shows a draft again to a service that was just started", async () => {
  const { pr, staleMs } = await submitted("a draft");
  await stage.until(pr, "testing");
  await stage.stopService();
  const seen = olderReadings();
  for (const operation of operations)
    stage.sandbox.faults.next({ operation, kind: "stale", staleMs, lastsMs: 1_500 });
  await stage.startService();
  await olderReading(seen);
  await sleep(1_600);
  expect(await stage.look(pr)).toMatchObject({ state: "testing" });
  gate.open();
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
});

test.each(Object.keys(before))("a merge is not called off by GitHub showing %s again", async (what) => {
  const { pr, staleMs } = await submitted(what);
  await stage.until(pr, "testing");
  const told = stage.sandbox.faults.injected.length;
  stage.sandbox.faults.next({
    operation: "graphql/repository",
    kind: "stale",
    staleMs,
    lastsMs: 1_500,
  });
  gate.open();
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
  expect(stage.sandbox.faults.injected.length).toBeGreaterThan(told);
});

const olderReadings = () => stage.sandbox.faults.count().stale ?? 0;

/** Waits until there are more older readings. */
async function olderReading(seen: number): Promise<void> {
  await eventually(async () => (olderReadings() > seen ? true : null), "an older reading");
}

/** Submits a pull request after its author's action. Also returns the age of a reading from before that action. */
async function submitted(what: string): Promise<{ pr: number; staleMs: () => number }> {
  opened += 1;
  const name = `pr-${opened}`;
  const pr = await stage.openPullRequest(name, undefined, { draft: what === "a draft" });
  if (what === "a closed pull request") await stage.update(pr, { state: "closed" });
  // GitHub's times are whole seconds.
  await sleep(1_100);
  const at = Date.now();
  await sleep(1_100);
  await before[what]?.(pr, name);
  await stage.untilHandled();
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  return { pr, staleMs: () => Date.now() - at };
}
