import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Trainyard } from "../cli/run-trainyard.ts";
import { deliverComment } from "./deliver.ts";
import { Stage } from "./stage.ts";

/** The bot is a separate process with its own database. Webhooks go to the bot only. */
let stage: Stage;
let bot: Trainyard;
let botUrl: string;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-bot-"));
  stage = await Stage.open({
    queue: {},
    environment: { TRAINYARD_COMMANDS: "elsewhere", TRAINYARD_RECONCILE_MS: "200" },
  });
  const token = await stage.issueToken({
    organisation: "acme",
    scopes: ["read", "submit", "queue:admin", "bot"],
  });
  bot = new Trainyard(
    ["serve"],
    {
      ...stage.sandbox.env,
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: `sqlite:${join(directory, "bot.db")}`,
      TRAINYARD_API_URL: stage.url,
      TRAINYARD_API_TOKEN: token,
      TRAINYARD_PUBLISH_MS: "60",
    },
    directory,
  );
  [, botUrl = ""] = await bot.says(/"url":"(http:[^"]+)"/);
  stage.sandbox.setWebhookUrl(`${botUrl}/api/github/webhooks`);
});

afterEach(async () => {
  const { code } = await bot.end();
  await stage.close();
  await rm(directory, { recursive: true, force: true });
  expect(code).toBe(0);
});

describe("a bot whose queue runs elsewhere", () => {
  test("gets a pull request merged on behalf of the commenter", async () => {
    const pr = await stage.openPullRequest("good");
    expect(await stage.untilReacted(await stage.comment(pr, "/trainyard merge --priority=high"))).toBe("+1");
    expect(await stage.until(pr, "merged")).toMatchObject({
      submittedBy: "alice",
      submittedVia: "comment",
      priorityName: "high",
    });
  });

  test("refuses a user without permission", async () => {
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge", "carol");
    await stage.untilCommented(pr, /@carol has `read` permission/);
    expect(await stage.look(pr)).toBeNull();
  });

  test("passes on refusals of the queue, and changes the queue's state for administrators", async () => {
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge 1234567");
    await stage.untilCommented(pr, /The head of #1 is not .*\(`HEAD_MISMATCH`\)/);
    await stage.comment(pr, "/trainyard pause --reason=maintenance", "admin");
    await stage.untilCommented(pr, /The queue for `main` is paused/);
    expect(await stage.client.getQueue(stage.queue)).toMatchObject({ state: "paused" });
  });

  test("refuses a command when the head was pushed to after it", async () => {
    const pr = await stage.openPullRequest("good");
    const alice = { login: "alice", id: 1, type: "User" } as const;
    const written = { createdAt: new Date(Date.now() - 60_000), to: botUrl };
    await deliverComment(stage, pr, "/trainyard merge", alice, written);
    await stage.untilCommented(pr, /New commits were pushed to #\d+ after the command/);
    expect(await stage.look(pr)).toBeNull();
  });
});

test("a token without the scope `bot` cannot submit on behalf of others", async () => {
  const token = await stage.issueToken({ organisation: "acme", scopes: ["read", "submit"] });
  const pr = await stage.openPullRequest("good");
  await fetch(`${stage.url}/v1/submitPullRequest`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-token": token },
    body: JSON.stringify({
      ...stage.queue,
      pr: { number: pr },
      actor: { login: "admin", permission: "admin" },
      via: "comment",
    }),
  });
  expect(await stage.look(pr)).toMatchObject({ submittedBy: "tests", submittedVia: "api" });
});
