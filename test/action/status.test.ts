import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type OpenedPull, pullRequestEvent, startYard, until, type Yard } from "./yard.ts";

let yard: Yard;

beforeAll(async () => {
  yard = await startYard();
});

afterEach(async () => {
  yard.sandbox.setCi("acme/widgets", { durationMs: [5, 15] });
  await yard.configure({ state: "running", policy: "adaptive" });
});

afterAll(() => yard.close());

const follow = { inputs: { command: "status" } };

/** The check runs that the step created for a head. */
async function mirrors({ headSha }: OpenedPull) {
  const { data } = await yard.asAlice.rest.checks.listForRef({
    owner: "acme",
    repo: "widgets",
    ref: headSha,
    check_name: "Trainyard queue (main)",
    filter: "all",
  });
  return data.check_runs;
}

async function untilShown(pull: OpenedPull, title: RegExp) {
  await until(async () => title.test((await mirrors(pull))[0]?.output.title ?? ""));
  const [check] = await mirrors(pull);
  return check;
}

describe("the status command", () => {
  test("shows that a pull request is not ready, and why", async () => {
    const pull = await yard.open("red", { "facts/red.json": '{"broken":true}\n' });
    await yard.submit(pull.number);
    const step = await yard.start(pull, follow);
    const check = await untilShown(pull, /^not ready: .*build/);
    expect(check).toMatchObject({ status: "queued", conclusion: null });
    expect(check?.output.summary).toMatch(/^- .*build.*\(since \d{4}-/);
    step.child.kill("SIGTERM");
    expect((await step.ended).outputs.verdict).toBe("interrupted");
    await yard.client.cancelPullRequest({ ...yard.queue, pr: { number: pull.number } });
  });

  test("follows a pull request from pending through testing to merged in one check run", async () => {
    const pull = await yard.open("good", { "good.txt": "1\n" });
    await yard.configure({ state: "paused" });
    await yard.submit(pull.number);
    const step = await yard.start(pull, follow);
    const waiting = await untilShown(pull, /^pending \(position 1\)/);
    expect(waiting).toMatchObject({ status: "queued", conclusion: null });
    expect(waiting?.output.summary).toContain("the queue is paused");
    // CI does not report until the check has shown testing.
    yard.sandbox.setCi("acme/widgets", null);
    await yard.configure({ state: "running" });
    expect(await untilShown(pull, /^testing/)).toMatchObject({ status: "in_progress", conclusion: null });
    yard.sandbox.setCi("acme/widgets", { durationMs: [5, 15] });
    await yard.client.restartTestsOnPullRequest({ ...yard.queue, pr: { number: pull.number } });
    const { exitCode, outputs, log } = await step.ended;
    expect({ exitCode, ...outputs }).toMatchObject({ exitCode: 0, verdict: "merged", state: "merged" });
    expect(log.match(/^#\d+ is .*$/gm)?.map((line) => line.split(/[ :]/)[2])).toEqual(
      expect.arrayContaining(["pending", "testing", "merged"]),
    );
    const checks = await mirrors(pull);
    expect(checks).toHaveLength(1);
    expect(checks[0]).toMatchObject({ id: waiting?.id, status: "completed", conclusion: "success" });
  });

  test("shows that a pull request failed, but succeeds itself", async () => {
    const pull = await yard.open("legacy", { "facts/legacy.json": '{"sets":["legacy"]}\n' });
    await yard.pushToBase({ "facts/policy.json": '{"forbids":["legacy"]}\n' });
    await yard.submit(pull.number);
    const { exitCode, outputs } = await (await yard.start(pull, follow)).ended;
    expect({ exitCode, ...outputs }).toMatchObject({
      exitCode: 0,
      verdict: "failed",
      reason: "CHECKS_FAILED",
    });
    expect(await mirrors(pull)).toMatchObject([
      { conclusion: "failure", output: { title: "failed: required check failed: test" } },
    ]);
  });

  test("shows that a pull request was cancelled", async () => {
    const pull = await yard.open("cancelled", { "cancelled.txt": "1\n" });
    // CI never reports.
    yard.sandbox.setCi("acme/widgets", null);
    await yard.submit(pull.number);
    const step = await yard.start(pull, follow);
    await untilShown(pull, /^testing/);
    await yard.client.cancelPullRequest({ ...yard.queue, pr: { number: pull.number } });
    expect((await step.ended).outputs).toMatchObject({ verdict: "cancelled", state: "cancelled" });
    expect(await mirrors(pull)).toMatchObject([{ conclusion: "cancelled" }]);
  });

  test("shows that a pull request passed or failed while one ahead of it is still being tested", async () => {
    await yard.configure({ policy: "fixed" });
    const [first, good, bad] = [
      await yard.open("first", { "first.txt": "1\n" }),
      await yard.open("behind", { "behind.txt": "1\n" }),
      await yard.open("old", { "facts/old.json": '{"sets":["old"]}\n' }),
    ];
    await yard.pushToBase({ "facts/no-old.json": '{"forbids":["old"]}\n' });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    // CI does not report on the first pull request, even if it is tested again because of the push.
    yard.sandbox.setCi("acme/widgets", {
      durationMs: [5, 15],
      lastStep: async ({ branch, conclusion }) => {
        if (branch.includes(`/pr-${first.number}/`)) await ended;
        return conclusion;
      },
    });
    await yard.submit(first.number);
    await until(async () => (await yard.state(first.number)) === "testing");
    await yard.submit(good.number);
    const passing = await yard.start(good, follow);
    expect(await untilShown(good, /^tests passed \(position 2\)/)).toMatchObject({ status: "in_progress" });
    await yard.submit(bad.number);
    const failing = await yard.start(bad, follow);
    expect(await untilShown(bad, /^pending failure \(position 3\)/)).toMatchObject({ status: "in_progress" });
    for (const { number } of [bad, good, first]) {
      await yard.client.cancelPullRequest({ ...yard.queue, pr: { number } });
    }
    expect((await failing.ended).outputs.verdict).toBe("cancelled");
    expect((await passing.ended).outputs.verdict).toBe("cancelled");
    end();
  });

  test("ends at the timeout with a neutral check, and continues in the same check when it is run again", async () => {
    const pull = await yard.open("slow", { "slow.txt": "1\n" });
    await yard.configure({ state: "paused" });
    await yard.submit(pull.number);
    const briefly = { inputs: { command: "status", "timeout-minutes": "0.01" } };
    const { exitCode, outputs } = await (await yard.start(pull, briefly)).ended;
    expect({ exitCode, ...outputs }).toMatchObject({ exitCode: 0, verdict: "timed-out", state: "pending" });
    const [left] = await mirrors(pull);
    expect(left).toMatchObject({ conclusion: "neutral", output: { title: "pending when last seen" } });
    await yard.configure({ state: "running" });
    expect((await (await yard.start(pull, follow)).ended).outputs.verdict).toBe("merged");
    expect(await mirrors(pull)).toMatchObject([{ id: left?.id, conclusion: "success" }]);
  });

  test("follows a pull request that is submitted shortly after the workflow began", async () => {
    const pull = await yard.open("later", { "later.txt": "1\n" });
    const step = await yard.start(pull, follow);
    await until(() => step.log().includes("not in the queue; waiting"));
    await yard.submit(pull.number);
    expect((await step.ended).outputs.verdict).toBe("merged");
  });

  test("reports that a pull request was never submitted", async () => {
    const pull = await yard.open("never", { "never.txt": "1\n" });
    const briefly = { inputs: { command: "status", "timeout-minutes": "0.01" } };
    const { exitCode, outputs } = await (await yard.start(pull, briefly)).ended;
    expect({ exitCode, ...outputs }).toEqual({ exitCode: 0, verdict: "never-submitted" });
    expect(await mirrors(pull)).toMatchObject([
      { conclusion: "neutral", output: { title: "not in the queue" } },
    ]);
  });

  test("names the missing permission", async () => {
    const pull = await yard.open("no-permission", { "no-permission.txt": "1\n" });
    await yard.submit(pull.number);
    const inputs = { command: "status", "github-token": "ghs_of-nobody" };
    const { exitCode, annotations } = await (await yard.start(pull, { inputs })).ended;
    expect(exitCode).toBe(1);
    expect(annotations[0]?.message).toContain("`checks: write`");
  });

  test("is skipped for a fork without a token, and fails only with strict", async () => {
    const pull = await yard.open("of-a-fork", { "of-a-fork.txt": "1\n" });
    const inputs = { command: "status", "api-token": "" };
    const event = pullRequestEvent(pull, "mallory/widgets");
    const lenient = await (await yard.start(pull, { event, inputs })).ended;
    expect(lenient).toMatchObject({ exitCode: 0, outputs: { verdict: "skipped" } });
    expect(lenient.annotations).toMatchObject([{ level: "notice", title: "Trainyard: No token" }]);
    const strict = await (await yard.start(pull, { event, inputs: { ...inputs, strict: "true" } })).ended;
    expect(strict).toMatchObject({ exitCode: 1, annotations: [{ level: "error" }] });
  });
});
