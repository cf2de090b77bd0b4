import { describe, expect, test } from "@jest/globals";
import { defaultSettings, type QueueSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { summarize } from "../../src/replay/outcome.ts";
import { smallWorkload, writtenWorkload } from "./build-workload.ts";

const slots = { workers: 12, scope: "tree" } as const;
const single = (changes: Partial<QueueSettings> = {}) =>
  queueSettings("single", slots, { policy: "fixed", ...changes });

describe("the engine in virtual time", () => {
  test.each([
    ["one at a time", { concurrency: 1 }],
    ["speculating", {}],
    ["speculating with merge commits", { mergeMethod: "merge_commit" }],
    ["as recommended", null],
  ] as const)("decides every pull request and never breaks the base: %s", (_name, changes) => {
    for (const seed of [1, 2, 3]) {
      const workload = smallWorkload({ seed });
      const settings = changes ? single(changes) : queueSettings("single", slots, null);
      const outcome = runEngine(workload, settings);
      const { merged, rejected, broken } = summarize(outcome, workload.settings, 0);
      expect({ seed, broken, violations: outcome.violations }).toEqual({ seed, broken: 0, violations: [] });
      expect(merged + rejected).toBe(workload.pullRequests.length);
      for (const { n, fails } of workload.pullRequests) {
        if (fails) expect([n, outcome.pullRequests[n - 1]?.ending]).toEqual([n, "rejected"]);
      }
    }
  });

  test("gives the same outcome for the same seed, and another one for another seed", () => {
    const [one, two, other] = [1, 1, 2].map((seed) => runEngine(smallWorkload({ seed }), single()));
    expect(two).toEqual(one);
    expect(other?.trace).not.toBe(one?.trace);
  });

  test("rejects no good pull request when no test flakes", () => {
    const outcome = runEngine(smallWorkload({ flakeRate: 0, conflictShare: 0 }), single());
    const rejected = outcome.pullRequests.filter(({ ending }) => ending === "rejected").length;
    expect(outcome.pullRequests.reduce((sum, one) => sum + one.falseRejections, 0)).toBe(0);
    expect(rejected).toBe(smallWorkload().pullRequests.filter(({ fails }) => fails).length);
  });

  test("takes little more time than its tests", () => {
    const workload = writtenWorkload({ pullRequests: [{ minutes: 10 }, { minutes: 20 }, { minutes: 5 }] });
    const minutes = runEngine(workload, single()).pullRequests.map(({ at, endedAt }) => (endedAt ?? 0) - at);
    // With the scope `tree`, a run takes as long as the slowest pull request that it contains.
    expect(minutes.map(Math.floor)).toEqual([10, 20, 20]);
  });

  test("resubmits a good pull request that a flake rejected", () => {
    const workload = writtenWorkload({
      settings: { flakeRate: 0.5, seed: 3 },
      pullRequests: [{}, {}, {}, {}],
    });
    const { pullRequests, violations } = runEngine(workload, { ...defaultSettings, policy: "fixed" });
    expect(violations).toEqual([]);
    const [again] = pullRequests.filter(({ falseRejections }) => falseRejections > 0);
    expect(again).toMatchObject({ ending: "merged" });
    expect((again?.endedAt ?? 0) - (again?.at ?? 0)).toBeGreaterThan(30);
  });

  test("cancels pull requests that their authors withdraw, and merges better priorities first", () => {
    const workload = writtenWorkload({
      pullRequests: [{}, {}, { priority: 200 }, { priority: 10 }],
      cancellations: [
        [2, 5],
        [1, 500],
      ],
    });
    const { pullRequests, violations } = runEngine(workload, { ...defaultSettings, policy: "fixed" });
    expect(violations).toEqual([]);
    expect(pullRequests.map(({ ending }) => ending)).toEqual(["merged", "cancelled", "merged", "merged"]);
    expect(pullRequests[3]?.endedAt).toBeLessThan(pullRequests[2]?.endedAt ?? 0);
  });

  test("never has more tests run at once than there are workers", () => {
    const workload = writtenWorkload({ settings: { workers: 1 }, pullRequests: [{}, {}, {}] });
    const { pullRequests } = runEngine(workload, single({ concurrency: 3 }));
    expect(pullRequests.map(({ endedAt }) => Math.floor((endedAt ?? 0) / 10))).toEqual([1, 2, 3]);
  });
});
