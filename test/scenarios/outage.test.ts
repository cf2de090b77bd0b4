import { afterEach, describe, expect, test } from "@jest/globals";
import { deliver } from "./deliver.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let proxy: GitHubProxy;
let gate = new Gate();
let offsetMs = 0;

const minuteMs = 60_000;

async function open(options: StageOptions = {}): Promise<Stage> {
  offsetMs = 0;
  stage = await Stage.open({
    queue: { concurrency: 4 },
    clock: { now: () => Date.now() + offsetMs },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
    ...options,
    environment: { TRAINYARD_RECONCILE_MS: "200", ...options.environment },
  });
  return stage;
}

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy.close();
});

/** Lets time pass while GitHub cannot be reached. Comments on `pr` keep the inbox awake. */
async function pass(minutes: number, steps: number, pr: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    offsetMs += (minutes * minuteMs) / steps;
    await stage.comment(pr, "Is GitHub down?", "bob");
    await stage.sandbox.settled();
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

/** Lets time pass in several steps. An attempt that was under way when GitHub came back can still fail and delay the next one. */
async function passAfterwards(pr: number): Promise<void> {
  await pass(10, 5, pr);
}

async function givenUp(code: string): Promise<{ total: number | undefined; parked: number | undefined }> {
  return {
    total: await stage.metric("trainyard_inbox_given_up_total", { code }),
    parked: await stage.metric("trainyard_inbox_parked", { organisation: "acme" }),
  };
}

test("every command is answered and every pull request ends correctly after an hour without GitHub", async () => {
  gate = new Gate();
  await open({ ci: { lastStep: gate.lastStep } });
  const names = ["before", "beginning", "label", "lost", "cancelled", "asked", "chat"] as const;
  const prs = new Map<string, number>();
  for (const name of names) prs.set(name, await stage.openPullRequest(name));
  const pr = (name: (typeof names)[number]) => prs.get(name) ?? 0;
  await stage.comment(pr("before"), "/trainyard merge");
  await stage.comment(pr("cancelled"), "/trainyard merge");
  await stage.until(pr("before"), "testing");

  proxy.cut();
  gate.open();
  const comments = [await stage.comment(pr("beginning"), "/trainyard merge", "bob")];
  await pass(20, 10, pr("chat"));
  await stage.label(pr("label"), "trainyard:merge", "bob");
  comments.push(await stage.comment(pr("cancelled"), "/trainyard cancel", "bob"));
  await pass(20, 10, pr("chat"));
  // The webhooks of these commands are lost, too.
  stage.sandbox.setWebhookUrl(null);
  comments.push(await stage.comment(pr("lost"), "/trainyard merge", "bob"));
  const status = await stage.comment(pr("asked"), "/trainyard status", "carol");
  stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
  await pass(20, 10, pr("chat"));
  proxy.restore();
  await passAfterwards(pr("chat"));

  for (const comment of comments) expect(await stage.untilReacted(comment)).toBe("+1");
  // Its pull request was never submitted.
  expect(await stage.untilReacted(status)).toBe("confused");
  for (const name of ["before", "beginning", "label", "lost"] as const) await stage.until(pr(name), "merged");
  await stage.until(pr("cancelled"), "cancelled");
  await stage.untilCommented(pr("asked"), /@carol: #6 is not in the queue/);
  expect(await givenUp("CODE_HOST_ABSENT")).toEqual({ total: 0, parked: 0 });
});

test("a command is not given up while the App is suspended", async () => {
  await open({ requiredChecks: null, queue: { requiredStatuses: ["never"] } });
  const pr = await stage.openPullRequest("one");
  proxy.cut();
  await stage.comment(pr, "/trainyard merge", "bob");
  await stage.sandbox.suspend("acme");
  proxy.restore();
  for (let minute = 1; minute <= 20; minute += 1) {
    offsetMs += minuteMs;
    // It keeps the inbox awake: GitHub tells a suspended App nothing.
    await deliver(stage, "issue_comment", chatting(pr, minute));
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await stage.sandbox.unsuspend("acme");
  await passAfterwards(pr);
  expect(await stage.until(pr, "testing")).toMatchObject({ submittedBy: "bob" });
});

function chatting(pr: number, id: number) {
  return {
    action: "created",
    issue: { number: pr, pull_request: { url: "" }, labels: [] },
    comment: {
      ...{ id: 2_000_000_100 + id, node_id: `chat-${id}`, body: "Is it down?" },
      ...{ created_at: new Date().toISOString(), updated_at: new Date().toISOString() },
    },
    sender: { login: "bob", id: 5, type: "User" },
  };
}

describe("a delivery that is given up", () => {
  test("because GitHub did not answer for a day is counted, shown, and answered once GitHub is back", async () => {
    await open({ requiredChecks: null, queue: { requiredStatuses: ["never"] } });
    const [pr, chat] = [await stage.openPullRequest("one"), await stage.openPullRequest("chat")];
    // Only the command is to be given up, not what was said of the pull requests before.
    await stage.untilHandled();
    proxy.cut();
    const comment = await stage.comment(pr, "/trainyard merge", "bob");
    await pass(25 * 60, 16, chat);
    await eventually(async () => {
      await pass(60, 1, chat);
      return (await givenUp("CODE_HOST_ABSENT")).total === 1 || null;
    }, "the command to be given up");
    expect((await givenUp("CODE_HOST_ABSENT")).parked).toBeGreaterThan(0);
    proxy.restore();
    await passAfterwards(chat);
    // Tries that failed during the outage count for the limit of comments: on a busy machine, this one may have to wait for its turn.
    const answer = /@bob: .*GitHub did not answer for a day.*\(`CODE_HOST_ABSENT`\)/;
    const answered = async () => (await stage.ourComments(pr)).some((text) => answer.test(text));
    let minutes = 5;
    await eventually(async () => {
      await pass(minutes, 1, chat);
      minutes *= 2;
      // Then time stands still for a while: otherwise leases would end before the work under them does.
      for (let look = 0; look < 50; look += 1) {
        if (await answered()) return true;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return null;
    }, "the answer to the command");
    expect(await stage.untilReacted(comment)).toBe("confused");
    expect(await stage.look(pr)).toBeNull();
    const page = await (await fetch(stage.pageUrl)).text();
    expect(page).toContain("Given up");
    expect(page).toContain(`#${pr}`);
    expect(page).toContain("CODE_HOST_ABSENT");
  });

  test("because its payload cannot be read does not block later deliveries", async () => {
    await open({ requiredChecks: null, queue: { requiredStatuses: ["never"] } });
    const pr = await stage.openPullRequest("one");
    await deliver(stage, "issue_comment", {
      action: "created",
      issue: { number: pr, pull_request: { url: "" }, labels: [] },
      comment: { id: 2_000_000_001, body: "/trainyard merge", created_at: new Date().toISOString() },
      sender: { login: "bob", id: 5, type: "User" },
    });
    const comment = await stage.comment(pr, "/trainyard status", "carol");
    await stage.untilReacted(comment);
    const count = async () => (await givenUp("PAYLOAD_UNREADABLE")).total;
    await eventually(async () => (await count()) || null, "the delivery to be given up");
    expect(await givenUp("PAYLOAD_UNREADABLE")).toEqual({ total: 1, parked: 1 });
  });
});
