import { describe, expect, test } from "@jest/globals";
import { day, hour } from "../../src/flaky/detection/settings.ts";
import { createBuildkiteRule, createBuildkiteRuleWithQueue } from "../../tools/simulator/flaky/buildkite.ts";
import type { CreateRule, SimulatedUpload } from "../../tools/simulator/flaky/rule.ts";
import { createTrunkRule, createTrunkRuleAsItComes } from "../../tools/simulator/flaky/trunk.ts";

const tests = 10;

function uploadOf(failed: readonly number[], more: Partial<SimulatedUpload> = {}): SimulatedUpload {
  return {
    ...{ at: 0, kind: "pr", pr: 1, branch: "change", line: "main", runId: "1", attempt: 1 },
    ...{ changes: [], head: String(more.at ?? 0), tree: String(more.at ?? 0) },
    failed: failed.map((test) => ({ test, message: "", cause: "flaky", hasPassingTwin: false })),
    ...more,
  };
}

/** Feeds the uploads to a rule. Returns whether the rule then forgives a failure of test 1 at the given time. */
async function forgives(create: CreateRule, uploads: readonly SimulatedUpload[], at: number) {
  const rule = create(tests, tests);
  for (const upload of uploads) await rule.see(upload);
  return rule.forgiven(uploadOf([1], { at })).has(1);
}

/** Test 1 fails on a commit, and passes on retry. */
function retried(at: number, more: Partial<SimulatedUpload> = {}): SimulatedUpload[] {
  const commit = { head: `retried ${at}`, ...more };
  return [uploadOf([1], { at, ...commit }), uploadOf([], { at: at + 1, attempt: 2, ...commit })];
}

/** Runs on main, by default an hour apart. Test 1 fails where the string has an `F`. */
function onMain(results: string, apart = hour, more: Partial<SimulatedUpload> = {}): SimulatedUpload[] {
  return [...results].map((result, index) =>
    uploadOf(result === "F" ? [1] : [], { at: index * apart, kind: "stable", branch: "main", ...more }),
  );
}

describe("the rules of Trunk Flaky Tests", () => {
  test("forgive a test that passed on retry until the first daily check after seven days without another retry", async () => {
    const uploads = retried(1.5 * day);
    expect(await forgives(createTrunkRule, uploads.slice(0, 1), 1.6 * day)).toBe(false);
    expect(await forgives(createTrunkRule, uploads, 1.6 * day)).toBe(true);
    expect(await forgives(createTrunkRule, uploads, 8.9 * day)).toBe(true);
    expect(await forgives(createTrunkRule, uploads, 9 * day)).toBe(false);
  });

  test("count a pass that comes days later as a retry", async () => {
    const [failed, passed] = retried(0) as [SimulatedUpload, SimulatedUpload];
    expect(await forgives(createTrunkRule, [failed, { ...passed, at: 3 * day }], 3.1 * day)).toBe(true);
  });

  test("ignore an upload in which more than 80 % of the tests fail", async () => {
    const [failed, passed] = retried(0) as [SimulatedUpload, SimulatedUpload];
    const most = (count: number) => ({
      ...failed,
      failed: uploadOf(Array.from({ length: count }, (_, index) => index)).failed,
    });
    expect(await forgives(createTrunkRule, [most(8), passed], hour)).toBe(true);
    expect(await forgives(createTrunkRule, [most(9), passed], hour)).toBe(false);
  });

  test("forgive a test that fails in 20 % of 20 runs on main, until fewer than 10 % fail", async () => {
    const quarter = hour / 4;
    expect(await forgives(createTrunkRule, onMain("PPPPFPPPPFPPPPFPPPPF", quarter), day)).toBe(true);
    expect(await forgives(createTrunkRule, onMain("PPPPFPPPPFPPPPFPPPP", quarter), day)).toBe(false);
    const passing = (count: number) => `PPPPFPPPPFPPPPFPPPPF${"P".repeat(count)}`;
    expect(await forgives(createTrunkRule, onMain(passing(20), quarter), day)).toBe(true);
    expect(await forgives(createTrunkRule, onMain(passing(21), quarter), day)).toBe(false);
    expect(await forgives(createTrunkRuleAsItComes, onMain(passing(0), quarter), day)).toBe(false);
  });

  test("do not forgive a test that is broken on main, although it was flaky before", async () => {
    const flaky = retried(0);
    const failing = onMain("FFFFF").map((upload) => ({ ...upload, at: upload.at + hour }));
    expect(await forgives(createTrunkRule, [...flaky, ...failing.slice(1)], 6 * hour)).toBe(true);
    expect(await forgives(createTrunkRule, [...flaky, ...failing], 6 * hour)).toBe(false);
    expect(await forgives(createTrunkRuleAsItComes, [...flaky, ...failing], 6 * hour)).toBe(true);
  });
});

describe("the rules of Buildkite Test Engine", () => {
  const main = { kind: "stable", branch: "main" } as const;

  test("forgive a test that passed on retry on main, for a hundred executions", async () => {
    const uploads = (more: number) => [
      ...retried(0, main),
      ...onMain("P".repeat(more), 1).map((upload) => ({ ...upload, at: upload.at + hour })),
    ];
    expect(await forgives(createBuildkiteRule, uploads(99), 2 * hour)).toBe(true);
    expect(await forgives(createBuildkiteRule, uploads(100), 2 * hour)).toBe(false);
  });

  test("forgive a test that passed on retry on main until its first execution after seven days", async () => {
    const uploads = retried(0, main);
    expect(await forgives(createBuildkiteRule, uploads, 8 * day)).toBe(true);
    const late = uploadOf([], { ...main, at: 8 * day });
    expect(await forgives(createBuildkiteRule, [...uploads, late], 8 * day)).toBe(false);
  });

  test("use only runs on main, and on the queue's branches if configured to", async () => {
    expect(await forgives(createBuildkiteRule, retried(0), hour)).toBe(false);
    const queued = retried(0, { kind: "queue", branch: "queue-1" });
    expect(await forgives(createBuildkiteRule, queued, hour)).toBe(false);
    expect(await forgives(createBuildkiteRuleWithQueue, queued, hour)).toBe(true);
  });

  test("forgive a test that changes in more than 10 % of 100 results, until 5 % change", async () => {
    const five = "PF".repeat(5);
    expect(await forgives(createBuildkiteRule, onMain(`${five}P`), day)).toBe(false);
    expect(await forgives(createBuildkiteRule, onMain(`${five}PF`), day)).toBe(true);
    // Of the eleven changes, six leave the window one after the other.
    expect(await forgives(createBuildkiteRule, onMain(`${five}PF${"F".repeat(93)}`), day)).toBe(true);
    expect(await forgives(createBuildkiteRule, onMain(`${five}PF${"F".repeat(94)}`), day)).toBe(false);
  });

  test("do not forgive a test that keeps failing", async () => {
    expect(await forgives(createBuildkiteRule, onMain(`P${"F".repeat(100)}`), day)).toBe(false);
  });
});
