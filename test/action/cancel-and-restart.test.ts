import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startYard, until, type Yard } from "./yard.ts";

let yard: Yard;

beforeAll(async () => {
  yard = await startYard();
  // CI never reports, so that a pull request under test stays under test.
  yard.sandbox.setCi("acme/widgets", null);
});

afterAll(() => yard.close());

let opened = 0;

/** Opens and submits a pull request, and returns it once it is being tested. */
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

describe("the cancel command", () => {
  test("removes the pull request from the queue, but with dry-run leaves it there", async () => {
    const pull = await testing();
    const dry = await run(pull, { command: "cancel", "dry-run": "true" });
    expect(dry).toMatchObject({ exitCode: 0, outputs: { verdict: "dry-run" } });
    expect(await yard.state(pull.number)).toBe("testing");
    const { exitCode, outputs, summary } = await run(pull, { command: "cancel" });
    expect({ exitCode, ...outputs }).toMatchObject({ exitCode: 0, verdict: "cancelled", state: "cancelled" });
    expect(summary).toContain("### Trainyard cancel: Cancelled");
    expect(await yard.state(pull.number)).toBe("cancelled");
  });

  test("succeeds with a notice when the pull request was never submitted", async () => {
    yard.sandbox.setCi("acme/widgets", { durationMs: [5, 15] });
    const pull = await yard.open("never", { "never.txt": "1\n" });
    const { exitCode, outputs, annotations } = await run(pull, { command: "cancel" });
    expect({ exitCode, outputs }).toEqual({ exitCode: 0, outputs: { verdict: "never-submitted" } });
    expect(annotations).toMatchObject([{ level: "notice" }]);
    expect(annotations[0]?.message).toContain("there is nothing to cancel");
  });
});

describe("the restart command", () => {
  test("tests the pull request again", async () => {
    const pull = await testing();
    // stateChangedAt is compared, because the state of its checks may change meanwhile.
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

  test("fails with the reason when the pull request is not being tested", async () => {
    yard.sandbox.setCi("acme/widgets", { durationMs: [5, 15] });
    const pull = await yard.open("idle", { "idle.txt": "1\n" });
    const { exitCode, annotations, outputs } = await run(pull, { command: "restart" });
    expect({ exitCode, outputs }).toEqual({ exitCode: 1, outputs: {} });
    expect(annotations).toMatchObject([{ level: "error", title: "Trainyard: The service refused" }]);
  });
});
