import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startYard, until, type Yard } from "./yard.ts";

let yard: Yard;

beforeAll(async () => {
  yard = await startYard({}, true);
});

afterAll(() => yard.close());

describe("the submit command", () => {
  test("submits the pull request of the event, and ends without waiting for the merge", async () => {
    const pull = await yard.open("at-once", { "at-once.txt": "1\n" });
    const step = await yard.start(pull, {
      inputs: { command: "submit", priority: "high", "no-batch": "true" },
    });
    const { exitCode, outputs, summary } = await step.ended;
    expect(exitCode).toBe(0);
    expect(outputs).toMatchObject({ verdict: "submitted" });
    expect(summary).toContain(`### Trainyard submit: Submitted`);
    const entry = await yard.client.getSubmittedPullRequest({ ...yard.queue, pr: { number: pull.number } });
    expect(entry).toMatchObject({ priorityName: "high", noBatch: true, prSha: pull.headSha });
  });

  test("with wait succeeds when the pull request was merged", async () => {
    const pull = await yard.open("good", { "good.txt": "1\n" });
    const step = await yard.start(pull, { inputs: { command: "submit", wait: "true" } });
    const { exitCode, outputs, summary, log } = await step.ended;
    expect(exitCode).toBe(0);
    expect(outputs).toMatchObject({ verdict: "merged", state: "merged", reason: "MERGED_IN_ORDER" });
    expect(outputs["test-run-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(summary).toMatch(/### Trainyard submit: Merged\n\n.*merged as [0-9a-f]{7}/s);
    expect(log).toMatch(/^#\d+ is merged: merged as/m);
  });

  test("with wait survives a restart of the service", async () => {
    const pull = await yard.open("outage", { "outage.txt": "1\n" });
    // CI does not report until the service was restarted.
    yard.sandbox.setCi("acme/widgets", null);
    const step = await yard.start(pull, { inputs: { command: "submit", wait: "true" } });
    await until(() => step.log().includes("is testing"));
    await yard.restart();
    yard.sandbox.setCi("acme/widgets", { durationMs: [5, 15] });
    await yard.client.restartTestsOnPullRequest({ ...yard.queue, pr: { number: pull.number } });
    expect(await step.ended).toMatchObject({ exitCode: 0, outputs: { verdict: "merged" } });
  });

  test("with wait fails with the reason when the pull request failed", async () => {
    const pull = await yard.open("legacy", { "facts/legacy.json": '{"sets":["legacy"]}\n' });
    await yard.pushToBase({ "facts/policy.json": '{"forbids":["legacy"]}\n' });
    const step = await yard.start(pull, { inputs: { command: "submit", wait: "true" } });
    const { exitCode, outputs, summary, annotations } = await step.ended;
    expect(exitCode).toBe(1);
    expect(outputs).toMatchObject({ verdict: "failed", state: "failed", reason: "CHECKS_FAILED" });
    expect(summary).toContain("required check failed: test");
    expect(annotations).toEqual([
      {
        level: "error",
        title: "Trainyard: Not merged: failed",
        message: expect.stringContaining("required check failed: test. Fix the cause, then submit it again."),
      },
    ]);
  });

  test("with wait fails at the timeout, and leaves the pull request in the queue", async () => {
    const pull = await yard.open("red", { "facts/red.json": '{"broken":true}\n' });
    const inputs = { command: "submit", wait: "true", "timeout-minutes": "0.02" };
    const { exitCode, outputs, annotations } = await (await yard.start(pull, { inputs })).ended;
    expect(exitCode).toBe(1);
    expect(outputs).toMatchObject({ verdict: "timed-out", state: "not_ready" });
    expect(annotations[0]?.message).toContain("stays in the queue");
    expect(await yard.state(pull.number)).toBe("not_ready");
  });

  test("with wait ends when the workflow is cancelled, and leaves the pull request in the queue", async () => {
    const pull = await yard.open("cancelled-workflow", { "facts/cancelled.json": '{"broken":true}\n' });
    const step = await yard.start(pull, { inputs: { command: "submit", wait: "true" } });
    await until(() => step.log().includes("is not ready"));
    step.child.kill("SIGINT");
    const { exitCode, outputs } = await step.ended;
    expect(exitCode).toBe(1);
    expect(outputs.verdict).toBe("interrupted");
    expect(await yard.state(pull.number)).toBe("not_ready");
  });

  test("finds the pull request of a comment and its base branch through GitHub's API", async () => {
    const pull = await yard.open("commented", { "commented.txt": "1\n" });
    const event = {
      issue: { number: pull.number, pull_request: {} },
      repository: { full_name: "acme/widgets", default_branch: "other" },
    };
    const { exitCode } = await (await yard.start(pull, { event, inputs: { command: "submit" } })).ended;
    expect(exitCode).toBe(0);
    expect(await yard.state(pull.number)).not.toBeNull();
  });

  test("submits only the head for which the workflow ran", async () => {
    const pull = await yard.open("pushed-to", { "pushed-to.txt": "1\n" });
    await yard.local.pushCommit("pushed-to", { "pushed-to.txt": "2\n" }, "More");
    const { exitCode, annotations } = await (await yard.start(pull, { inputs: { command: "submit" } })).ended;
    expect(exitCode).toBe(1);
    expect(annotations[0]?.message).toContain("Review what was pushed, then name the present head");
    expect(await yard.state(pull.number)).toBeNull();
  });

  test("explains what to do when the queue does not exist", async () => {
    const pull = await yard.open("no-queue", { "no-queue.txt": "1\n" });
    const inputs = { command: "submit", "target-branch": "develop" };
    const { exitCode, annotations, summary } = await (await yard.start(pull, { inputs })).ended;
    expect(exitCode).toBe(1);
    expect(annotations[0]?.message).toMatch(/no queue for branch "develop".* set the input target-branch\.$/);
    expect(summary).toContain("**Failed.**");
  });

  test("explains what to do when the token is not valid", async () => {
    const pull = await yard.open("bad-token", { "bad-token.txt": "1\n" });
    const inputs = { command: "submit", "api-token": "ty_000000000000_not-a-token" };
    const { exitCode, annotations } = await (await yard.start(pull, { inputs })).ended;
    expect(exitCode).toBe(1);
    expect(annotations).toEqual([
      {
        level: "error",
        title: "Trainyard: The API token was not accepted",
        message: expect.stringContaining("trainyard token create --organisation acme --scopes read,submit"),
      },
    ]);
  });

  test("with dry-run only logs what it would do", async () => {
    const pull = await yard.open("dry", { "dry.txt": "1\n" });
    const inputs = { command: "submit", "dry-run": "true", priority: "low" };
    const { exitCode, outputs, log } = await (await yard.start(pull, { inputs })).ended;
    expect(exitCode).toBe(0);
    expect(outputs).toEqual({ verdict: "dry-run" });
    expect(log).toContain(`Would submit #${pull.number} to the queue of main, priority low.`);
    expect(await yard.state(pull.number)).toBeNull();
  });
});
