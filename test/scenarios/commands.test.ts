import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let gate: Gate;

async function open(options: StageOptions = {}): Promise<Stage> {
  stage = await Stage.open({ queue: {}, ...options });
  return stage;
}

/** Tests that never end, one at a time, because the required check is never reported. */
const endless: StageOptions = {
  requiredChecks: null,
  queue: { requiredStatuses: ["never"], concurrency: 1 },
};

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

describe("a comment is answered", () => {
  test("with a thumbs-up when all of its commands were carried out", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    expect(await stage.untilReacted(await stage.comment(pr, "/trainyard merge"))).toBe("+1");
    await stage.until(pr, "merged");
  });

  test("with confusion when one of its commands was not carried out, and the others are carried out", async () => {
    await open(endless);
    const pr = await stage.openPullRequest("good");
    const comment = await stage.comment(pr, "/trainyard merge\n/trainyard cancle\n/trainyard mrege");
    expect(await stage.untilReacted(comment)).toBe("confused");
    const text = await stage.untilCommented(pr, /Did you mean `\/trainyard cancel`\?/);
    expect(text).toContain("Did you mean `/trainyard merge`?");
    await stage.until(pr, "testing");
  });

  test("with the prefix that commands have here, on pages and in the API, too", async () => {
    await open({ ...endless, environment: { TRAINYARD_COMMAND_PREFIX: "/mq" } });
    expect(await (await fetch(stage.pageUrl)).text()).toContain("Comment <code>/mq merge</code>");
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/mq merge");
    await stage.until(pr, "testing");
    await stage.comment(pr, "/mq cancel");
    await stage.until(pr, "cancelled");
    const restarted = stage.client.restartTestsOnPullRequest({ ...stage.queue, pr: { number: pr } });
    await expect(restarted).rejects.toThrow(/comment `\/mq merge`\./);
    await stage.comment(pr, "/mq restart");
    await stage.untilCommented(pr, /comment `\/mq merge`\. \(`NOT_TESTING`\)/);
  });

  test("with no reaction when it contains no command", async () => {
    await open(endless);
    const pr = await stage.openPullRequest("good");
    const asked = await stage.comment(pr, "Should I comment `/trainyard merge`?");
    // Comments on one pull request are handled in order.
    expect(await stage.untilReacted(await stage.comment(pr, "/trainyard help"))).toBe("+1");
    const { data } = await stage
      .octokit("alice")
      .rest.reactions.listForIssueComment({ owner: "acme", repo: "widgets", comment_id: asked });
    expect(data).toEqual([]);
    expect(await stage.look(pr)).toBeNull();
  });
});

describe("a question", () => {
  test("for help is answered with every command, for any reader", async () => {
    await open(endless);
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard help", "carol");
    const text = await stage.untilCommented(pr, /@carol: /);
    for (const verb of ["merge", "cancel", "restart", "status", "pause", "resume", "drain", "help"]) {
      expect(text).toContain(`\`/trainyard ${verb}`);
    }
  });

  test("for the status is answered with the state of the pull request and why", async () => {
    await open(endless);
    const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    await stage.comment(first, "/trainyard merge");
    await stage.until(first, "testing");
    await stage.comment(second, "/trainyard merge\n/trainyard status", "bob");
    const text = await stage.untilCommented(second, /@bob: \*\*Pending\*\*, 2nd in the queue for `main`/);
    expect(text).toContain("No free testing slot (1 of 1 in use)");
  });

  test("for the status of a pull request that was never submitted is answered as such", async () => {
    await open(endless);
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard status");
    await stage.untilCommented(pr, /#1 is not in the queue\. Comment `\/trainyard merge` to add it/);
  });
});

describe("the priority urgent", () => {
  test("is first answered with its cost, the runs that it would interrupt, and nothing is done", async () => {
    await open(endless);
    const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    await stage.comment(first, "/trainyard merge");
    const { stateChangedAt } = await stage.until(first, "testing");
    const comment = await stage.comment(second, "/trainyard merge --priority=urgent", "bob");
    expect(await stage.untilReacted(comment)).toBe("confused");
    const text = await stage.untilCommented(
      second,
      /up to 1 test run under way, 0 minutes of testing so far/,
    );
    expect(text).toContain(`#${first} would be tested again, behind #${second}.`);
    expect(text).toContain("repeat the command with `--confirm`. (`COST_NOT_CONFIRMED`)");
    expect(await stage.look(second)).toBeNull();
    expect(await stage.look(first)).toMatchObject({ state: "testing", stateChangedAt });
  });

  test("needs no confirmation for a pull request that is already urgent, or by a label", async () => {
    await open(endless);
    const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    await stage.comment(first, "/trainyard merge");
    await stage.until(first, "testing");
    await stage.label(second, "trainyard:priority-urgent");
    await stage.label(second, "trainyard:merge");
    await stage.until(second, "testing");
    expect(await stage.untilReacted(await stage.comment(second, "/trainyard merge -p urgent"))).toBe("+1");
  });

  test("is answered with the runs that it interrupted once it is confirmed", async () => {
    await open(endless);
    const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    await stage.comment(first, "/trainyard merge");
    await stage.until(first, "testing");
    const command = '/trainyard merge --priority=urgent --confirm --reason="production is down"';
    await stage.comment(second, command, "bob");
    const text = await stage.untilCommented(second, /`urgent` cost 1 test run that was under way/);
    expect(text).toContain(`0 minutes of testing: #${first} will be tested again, behind #${second}.`);
    expect(text).toContain("by @bob (production is down), priority urgent");
    await stage.until(second, "testing");
    await stage.until(first, "pending");
  });

  test("is answered as free when it interrupts no test run", async () => {
    await open(endless);
    const pr = await stage.openPullRequest("one");
    await stage.comment(pr, "/trainyard merge -p urgent");
    await stage.untilCommented(pr, /`urgent` interrupted no test run/);
  });
});

describe("the queue's state", () => {
  test("is changed by an administrator, with a reason that waiting pull requests show", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, '/trainyard pause --reason="CI is down"', "admin");
    await stage.untilCommented(pr, /The queue for `main` is paused: .* Reason: CI is down\./);
    await stage.comment(pr, "/trainyard merge\n/trainyard status");
    await stage.untilCommented(pr, /The queue is paused. The reason: set by \u200b@\u200badmin: CI is down/);
    expect(await stage.look(pr)).toMatchObject({ state: "pending" });
    await stage.comment(pr, "/trainyard resume", "admin");
    await stage.until(pr, "merged");
    expect(await stage.untilCommented(pr, /\*\*Merged\*\*/)).not.toMatch(/pending|queue/i);
    expect(await stage.untilReacted(await stage.comment(pr, "/trainyard cancel"))).toBe("confused");
    await stage.untilCommented(pr, /has merged, so it is too late to cancel/);
  });

  test("is shown on a pull request that joins a paused or draining queue, until the queue runs again", async () => {
    await open(endless);
    const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    const draft = await stage.openPullRequest("three", undefined, { draft: true });
    expect(
      await stage.untilReacted(await stage.comment(first, '/trainyard pause --reason="CI is down"', "admin")),
    ).toBe("+1");
    for (const pr of [first, draft]) {
      await stage.comment(pr, "/trainyard merge");
      await stage.untilCommented(pr, /^> The queue is paused\. The reason: .*CI is down\. .*again\.$/m);
    }
    const reason = "*Release* of @carol\n#1";
    await stage.client.updateQueue({ ...stage.queue, state: "draining", reason });
    await stage.comment(second, "/trainyard merge");
    await stage.untilCommented(
      second,
      /^> The queue is draining\. The reason: .*: \\\*Release\\\* of \u200b@\u200bcarol #\u200b1\. .*again\.$/m,
    );
    await stage.client.updateQueue({ ...stage.queue, state: "running" });
    // The second one waits for the only slot.
    await stage.untilCommented(second, /^(?![\s\S]*draining)[\s\S]*\*\*Queued\*\*/);
    await stage.untilCommented(draft, /^(?![\s\S]*paused)[\s\S]*\*\*Submitted\*\*/);
  });

  test("is not changed by a user with write access", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    for (const verb of ["pause", "drain"]) {
      expect(await stage.untilReacted(await stage.comment(pr, `/trainyard ${verb}`))).toBe("confused");
    }
    await stage.untilCommented(pr, /changing the queue's state needs `admin`/);
    expect(await stage.client.getQueue(stage.queue)).toMatchObject({ state: "running" });
  });

  test("draining lets pull requests under test merge, and starts no test", async () => {
    await open({ ci: { lastStep: gate.lastStep } });
    const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    await stage.comment(first, "/trainyard merge");
    await stage.until(first, "testing");
    const drain = await stage.comment(second, "/trainyard drain\n/trainyard merge", "admin");
    await stage.untilReacted(drain);
    gate.open();
    await stage.until(first, "merged");
    expect(await stage.until(second, "pending")).toMatchObject({
      why: expect.arrayContaining([expect.objectContaining({ code: "QUEUE_NOT_RUNNING" })]),
    });
  });
});

test("the restart command tests a pull request again", async () => {
  await open(endless);
  const pr = await stage.openPullRequest("good");
  await stage.comment(pr, "/trainyard restart");
  await stage.untilCommented(pr, /#1 is not in the queue\. Comment `\/trainyard merge` to add it/);
  await stage.comment(pr, "/trainyard merge");
  const { stateChangedAt } = await stage.until(pr, "testing");
  await stage.comment(pr, "/trainyard restart", "bob");
  await stage.untilCommented(pr, /@bob: Its tests start again/);
  expect((await stage.until(pr, "testing")).stateChangedAt).not.toBe(stateChangedAt);
  const { entries } = await stage.client.listAuditLog({ action: "restartTestsOnPullRequest", actor: "bob" });
  expect(entries).toMatchObject([
    {
      changes: expect.arrayContaining([
        expect.objectContaining({ field: "testRunId", from: expect.any(String) }),
      ]),
    },
  ]);
});
