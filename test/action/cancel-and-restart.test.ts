import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startYard, until, type Yard } from "./yard.ts";

let yard: Yard;

beforeAll(async () => {
  yard = await startYard();
  // CI that never reports, so that what is tested stays so.
  yard.sandbox.setCi("acme/widgets", null);
});

afterAll(() => yard.close());

let opened = 0;

/** A pull request with a step of the command, once it is being tested. */
async function testing() {
  yard.sandbox.setCi("acme/widgets", { durationMs: [5, 15] });
  const pull = await yard.open(`topic-${++opened}`, { [`${opened}.txt`]: "1\n" });
  yard.sandbox.setCi("acme/widgets", null);
  await yard.submit(pull.number);
  await until(async () => (await yard.state(pull.number)) === "testing");
  return pull;
}

async function run(pull: Parameters<Yard["start"]>[0], inputs: Record<string, string>) {
  return (await yard.start(pull, { inputs })).ended;
}

describe("cancel", () => {
  test("takes the pull request out of the queue, after it was only said by dry-run", async () => {
    const pull = await testing();
    const dry = await run(pull, { command: "cancel", "dry-run": "true" });
    expect(dry).toMatchObject({ exitCode: 0, outputs: { verdict: "dry-run" } });
    expect(await yard.state(pull.number)).toBe("testing");
    const { exitCode, outputs, summary } = await run(pull, { command: "cancel" });
    expect({ exitCode, ...outputs }).toMatchObject({ exitCode: 0, verdict: "cancelled", state: "cancelled" });
    expect(summary).toContain("### Trainyard cancel: Cancelled");
    expect(await yard.state(pull.number)).toBe("cancelled");
  });

  test("of one that was never submitted has nothing to do, and says so", async () => {
    yard.sandbox.setCi("acme/widgets", { durationMs: [5, 15] });
    const pull = await yard.open("never", { "never.txt": "1\n" });
    const { exitCode, outputs, annotations } = await run(pull, { command: "cancel" });
    expect({ exitCode, outputs }).toEqual({ exitCode: 0, outputs: { verdict: "never-submitted" } });
    expect(annotations).toMatchObject([{ level: "notice" }]);
    expect(annotations[0]?.message).toContain("there is nothing to cancel");
  });
});

describe("restart", () => {
  test("has the pull request tested again", async () => {
    const pull = await testing();
    // What is said of its checks may change meanwhile.
    const stateChangedAt = async () => {
      const of = { ...yard.queue, pr: { number: pull.number } };
      return (await yard.client.getSubmittedPullRequest(of)).stateChangedAt;
    };
    const before = await stateChangedAt();
    const dry = await run(pull, { command: "restart", "dry-run": "true" });
    expect(dry).toMatchObject({ exitCode: 0, outputs: { verdict: "dry-run" } });
    expect(await stateChangedAt()).toBe(before);
    const { exitCode, outputs, log } = await run(pull, { command: "restart" });
    expect({ exitCode, verdict: outputs.verdict }).toEqual({ exitCode: 0, verdict: "restarted" });
    expect(log).toContain(`#${pull.number} is tested again: `);
    expect(await stateChangedAt()).not.toBe(before);
  });

  test("of one that is not being tested fails with the reason", async () => {
    yard.sandbox.setCi("acme/widgets", { durationMs: [5, 15] });
    const pull = await yard.open("idle", { "idle.txt": "1\n" });
    const { exitCode, annotations, outputs } = await run(pull, { command: "restart" });
    expect({ exitCode, outputs }).toEqual({ exitCode: 1, outputs: {} });
    expect(annotations).toMatchObject([{ level: "error", title: "Trainyard: The service refused" }]);
  });
});
