import { expect, test } from "@jest/globals";
import { type PricedAction, priceActions, renderPrice } from "../../src/service/queues/price-action.ts";
import { check, QueueHarness } from "../engine/queue-harness.ts";

const alice = { kind: "user", name: "alice" } as const;
const cancel = (pr: number): PricedAction => ({ type: "cancel", pr, actor: alice, via: "dashboard" });
const restart = (pr: number): PricedAction => ({ type: "restart", pr, actor: alice });
const configure = (status: "paused" | "running"): PricedAction => ({
  type: "configure",
  changes: { status },
  actor: alice,
});
const prioritise = (pr: number, value: number): PricedAction => {
  const priority = { value, name: String(value), isDefault: false };
  return { type: "prioritise", pr, priority, actor: alice };
};

/** Three pull requests in test on top of each other, for 12 minutes; a fourth one waits. */
function stackOfThree(policy: "fixed" | "adaptive" = "fixed"): QueueHarness {
  const queue = new QueueHarness({ policy, concurrency: 3 });
  queue.requires("build");
  for (const pr of [11, 12, 15, 20]) queue.submit(pr);
  queue.built(11, 12, 15);
  for (const pr of [11, 12, 15]) queue.checks(pr, [check("build", null)]);
  queue.now += 12 * 60_000;
  return queue;
}

const price = (queue: QueueHarness, ...actions: PricedAction[]) =>
  renderPrice(priceActions(queue.state, actions, queue.now)).join(" ");

test("cancelling the first of a stack of three restarts the two tests on top of it", () => {
  expect(price(stackOfThree(), cancel(11))).toBe(
    "Restarts 2 tests (about 24 minutes of CI): #12 and #15 are tested again. Stops the tests of #11. Starts the tests of #20.",
  );
  expect(price(stackOfThree(), cancel(15))).toBe("Stops the tests of #15. Starts the tests of #20.");
});

test("several actions have one price", () => {
  expect(price(stackOfThree(), cancel(11), cancel(12))).toBe(
    "Restarts 1 test (about 12 minutes of CI): #15 is tested again. Stops the tests of #11 and #12. Starts the tests of #20.",
  );
});

test("an action that changes no running test says so", () => {
  expect(price(stackOfThree(), cancel(20))).toBe("Changes no running test.");
  expect(price(stackOfThree(), configure("paused"))).toBe("Changes no running test.");
  expect(price(stackOfThree(), prioritise(20, 10))).toBe("Changes no running test.");
});

test("an urgent pull request goes first, so the tests of all others run again", () => {
  expect(price(stackOfThree(), prioritise(20, 0))).toBe(
    "Restarts 3 tests (about 36 minutes of CI): #11, #12 and #15 are tested again. Starts the tests of #20.",
  );
});

test("resuming names the tests that start", () => {
  const queue = new QueueHarness({ concurrency: 2 });
  queue.configure({ status: "paused" });
  for (const pr of [1, 2, 3]) queue.submit(pr);
  expect(price(queue, configure("running"))).toBe("Changes no running test. Starts the tests of #1 and #2.");
});

test("the price names the usual duration of tests if it is known, and how much longer others wait", () => {
  const queue = stackOfThree();
  queue.passes(11);
  queue.merges();
  queue.built(20);
  expect(price(queue, restart(12))).toMatch(
    /^Restarts 3 tests \(about 36 minutes of CI\): #12, #15 and #20 are tested again\./,
  );
  queue.now += 11 * 60_000;
  expect(price(queue, restart(12))).toMatch(/Probably, #15 and #20 will merge up to \d+ minutes later\.$/);
});

test("an action that the queue refuses costs nothing, and its refusal is known before", () => {
  const queue = stackOfThree();
  const priced = priceActions(queue.state, [restart(20), cancel(99), cancel(20)], queue.now);
  expect(priced.refusals).toMatchObject([
    { pr: 20, refusal: { code: "NOT_TESTING" } },
    { pr: 99, refusal: { code: "NOT_QUEUED" } },
  ]);
  expect(renderPrice(priced)).toEqual(["Changes no running test."]);
});

test.each(["fixed", "adaptive"] as const)("under the %s policy, the price is what then happens", (policy) => {
  for (const action of [cancel(11), cancel(12), restart(11), restart(12), cancel(20), prioritise(20, 0)]) {
    const queue = stackOfThree(policy);
    const before = queue.state;
    const { restarts, testedAgain, stopped } = priceActions(before, [action], queue.now);
    expect(queue.state).toBe(before);
    if (action.type === "prioritise") queue.submit(action.pr, {}, action.priority.value);
    else queue.take(action);
    const lost = [...before.runs.values()].filter(({ id }) => !queue.state.runs.has(id));
    expect(lost.flatMap(({ members }) => members).sort()).toEqual([...testedAgain, ...stopped].sort());
    expect(lost.filter(({ members }) => queue.state.entries.has(members[0]))).toHaveLength(restarts);
  }
});
