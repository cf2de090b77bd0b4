import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { ApiError } from "../../src/client/client.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** Waits for the next second, because GitHub's times are in whole seconds. */
const nextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 5);

const never = { TRAINYARD_RECONCILE_MS: "86400000" };
const often = { TRAINYARD_RECONCILE_MS: "200" };

/** The fates of webhooks. Where webhooks arrive, polling is off so that it cannot help. */
const hooks: Readonly<Record<string, StageOptions>> = {
  "come at once": { environment: never },
  "come late": { environment: never, sandbox: { webhooks: { delayMs: [600, 900] } } },
  "are lost": { environment: often, sandbox: { webhooks: { drop: 1 } } },
};

/** The ways in which a user submits the head that they have seen. */
const ways: Readonly<Record<string, (pr: number, sha: string) => Promise<unknown>>> = {
  "a label": (pr) => stage.label(pr, "trainyard:merge", "bob"),
  "a comment": (pr) => stage.comment(pr, "/trainyard merge", "bob"),
  "a comment that names the head": (pr, sha) => stage.comment(pr, `/trainyard merge ${sha}`, "bob"),
  "the API": (pr, sha) => stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr, sha } }),
  "the Action": (pr, sha) =>
    stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr, sha }, via: "action" }),
};

async function open(options: StageOptions): Promise<{ pr: number; seen: string }> {
  gate = new Gate();
  stage = await Stage.open({ queue: {}, ci: { lastStep: gate.lastStep }, ...options });
  const pr = await stage.openPullRequest("good");
  const { head } = await stage.pull(pr);
  await nextSecond();
  return { pr, seen: head.sha };
}

const pushUnseen = () => stage.push("good", { "facts/good.json": '{"sets":["unseen"]}\n' });

/** Expects that the push does not merge: it is refused with an answer or taken out of the queue. */
async function expectUnmerged(pr: number, refused: unknown): Promise<void> {
  await eventually(async () => {
    const entry = await stage.look(pr);
    if (entry?.prSha === (await stage.pull(pr)).head.sha)
      throw new Error(`#${pr} was queued at its new head`);
    if (entry) return entry.state === "cancelled" ? true : null;
    if (refused instanceof ApiError) return refused.code === "HEAD_MISMATCH" ? true : null;
    const comments = await stage.ourComments(pr);
    return comments.some((text) => /`(PUSHED_SINCE|HEAD_MISMATCH|HEAD_NOT_PROVEN)`/.test(text)) ? true : null;
  }, `#${pr} to be refused or taken out`);
  gate.open();
  await stage.untilHandled();
  expect((await stage.pull(pr)).merged).toBe(false);
}

describe.each(variants(Object.entries(hooks)))(
  "where webhooks %s, a push is not merged",
  (_hooks, options) => {
    test.each(Object.entries(ways))("after %s and before the service has read it", async (_way, submit) => {
      const { pr, seen } = await open(options);
      if (submit === ways["a label"] || submit === ways["a comment"]) {
        await submit(pr, seen);
        await nextSecond();
        await pushUnseen();
        return expectUnmerged(pr, null);
      }
      // These reach the service when they are sent, so the push comes between the look at the head and the command.
      await pushUnseen();
      const refused = await submit(pr, seen).catch((error: unknown) => error);
      await expectUnmerged(pr, refused);
    });

    test.each(Object.entries(ways))("after %s and while the pull request is tested", async (_way, submit) => {
      const { pr, seen } = await open(options);
      await submit(pr, seen);
      await stage.until(pr, "testing");
      await nextSecond();
      await pushUnseen();
      gate.open();
      await expectUnmerged(pr, null);
    });
  },
);
