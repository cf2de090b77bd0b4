import { describe, expect, test } from "@jest/globals";
import { demoPullRequests } from "../../tools/lab/demo/scenario.ts";
import { countedFlake, forgivenFlake, type Strike } from "../../tools/lab/demo/test-job.ts";
import type { Ended } from "../../tools/lab/judge/judge-base.ts";
import { judgeFlakes } from "../../tools/lab/judge/judge-demo.ts";

const strike = (pr: number, outcome: Strike["outcome"], flake = countedFlake): Strike => ({
  ...{ pr, outcome, test: flake },
  branch: `trainyard-merge/pr-${pr}/x`,
  runId: pr,
});
const ended = (number: number, state: string): Ended => {
  const [plan] = demoPullRequests(12);
  if (!plan) throw new Error("there are no pull requests");
  return {
    number,
    plan,
    live: false,
    state,
    reason: "",
    headSha: "",
    changedAt: 0,
    withdrawnAt: null,
    proof: null,
  };
};
const page = `<h1>${countedFlake.name}</h1> Passed and failed on the same tree 0123456 ${countedFlake.failure}`;
const good = [strike(1, "rerun"), strike(2, "forgiven", forgivenFlake), strike(3, "discarded")];

const calm = { callsFail: false };

describe("the demo's judgement of flaky tests in the queue", () => {
  test("counts the outcomes", () => {
    expect(judgeFlakes(good, [ended(1, "merged"), ended(4, "failed")], page, calm)).toEqual({
      flakes: { failed: 3, rerun: 1, forgiven: 1, discarded: 1, evicted: 0 },
      violations: [],
    });
  });

  test("reports an evicted pull request, and that no job was rerun", () => {
    const { flakes, violations } = judgeFlakes(
      [strike(1, "open"), ...good.slice(1)],
      [ended(1, "failed")],
      page,
      calm,
    );
    expect(flakes).toMatchObject({ rerun: 0, evicted: 1 });
    expect(violations).toEqual([
      "#1 was thrown out by a flaky test",
      expect.stringMatching(/^no job was run again although a flaky test failed in the queue: #1 open/),
    ]);
  });

  test("does not require a rerun while calls to GitHub fail", () => {
    const strikes = [strike(1, "open"), ...good.slice(1)];
    expect(judgeFlakes(strikes, [ended(1, "merged")], page, { callsFail: true }).violations).toEqual([]);
  });

  test("reports that no failure was forgiven, and a page without the evidence", () => {
    const { violations } = judgeFlakes(good.slice(0, 1), [], "Nothing speaks against it.", calm);
    expect(violations).toEqual([
      "no failure of a quarantined test was forgiven in the queue",
      `the flaky test's page does not show "${countedFlake.name}"`,
      `the flaky test's page does not show "${countedFlake.failure}"`,
      `the flaky test's page does not show "Passed and failed on the same tree"`,
    ]);
  });
});
