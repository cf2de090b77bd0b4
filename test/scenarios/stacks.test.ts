import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate: Gate;

beforeAll(async () => {
  stage = await Stage.open({
    queue: {},
    ci: { lastStep: (job) => gate.lastStep(job) },
    sandbox: { delays: { asyncMerge: 100 } },
  });
  gate = new Gate();
  gate.open();
});

afterAll(async () => {
  gate.open();
  await stage.close();
});

const about = (pr: number) => ({ ...stage.queue, pr: { number: pr } });
const submit = (pr: number) => stage.client.submitPullRequest(about(pr));

/** Opens two pull requests of a native stack, the second on top of the first. */
async function stacked(name: string) {
  const low = await stage.openPullRequest(`${name}-low`);
  const high = await stage.openPullRequest(`${name}-high`, undefined, {
    base: `${name}-low`,
    from: `${name}-low`,
    by: "alice",
  });
  return { low, high, stack: stage.sandbox.stack("acme/widgets", [low, high]) };
}

const waits = (pr: number) =>
  eventually(async () => ((await stage.look(pr))?.state === "not_ready" ? true : null), `#${pr} to wait`);

describe("a queue that does not merge by the asynchronous API", () => {
  test("lets the lowest pull request of a stack wait until it is taken out of the stack, and explains why", async () => {
    const { low, stack } = await stacked("waiting");
    await submit(low);
    await waits(low);
    await stage.untilCommented(low, /pull request 1 of 2 in stack \d+.*take it out of the stack, or set/);
    stack.dissolve();
    await submit(low);
    await stage.until(low, "merged");
  });

  test("makes a pull request not ready that becomes part of a stack while it is tested", async () => {
    gate = new Gate();
    const low = await stage.openPullRequest("late-low");
    await submit(low);
    await stage.until(low, "testing");
    const high = await stage.openPullRequest("late-high", undefined, {
      base: "late-low",
      from: "late-low",
      settle: false,
    });
    const stack = stage.sandbox.stack("acme/widgets", [low, high]);
    gate.open();
    await waits(low);
    await stage.untilCommented(low, /in stack \d+/);
    expect((await stage.pull(low)).merged).toBe(false);
    stack.dissolve();
    await submit(low);
    await stage.until(low, "merged");
  });
});

describe("a queue that merges by the asynchronous API", () => {
  test("refuses a pull request on top of others, and merges a stack from the lowest one up", async () => {
    await stage.client.updateQueue({ ...stage.queue, mergeBy: "async_api", mergeMethod: "merge_commit" });
    const { low, high } = await stacked("whole");
    await expect(submit(high)).rejects.toThrow(/pull request 2 of 2 in stack \d+, and those below it/);
    await stage.comment(high, "/trainyard merge");
    await stage.untilCommented(high, /PART_OF_STACK/);
    await stage.label(high, "trainyard:merge");
    await stage.untilCommented(high, /PART_OF_STACK.*\n*.*label/);
    await submit(low);
    await stage.until(low, "merged");
    await eventually(
      async () => ((await stage.pull(high)).base.ref === "main" ? true : null),
      "the upper one to be based on main",
    );
    await stage.untilHandled();
    await submit(high);
    expect(await stage.until(high, "merged")).toMatchObject({ merged: { proof: "same_tree" } });
  });
});
