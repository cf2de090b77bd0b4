import { day } from "../../../src/flaky/detection/settings.ts";
import { createBuildkiteRule, createBuildkiteRuleWithQueue } from "./buildkite.ts";
import { type CreateRule, type FlakyRule, failedIn, forgiveFlaky, isOfMain, watchRetries } from "./rule.ts";
import { createTrunkRule, createTrunkRuleAsItComes } from "./trunk.ts";

/** Plain rules, and the documented rules of two products. */
export const otherRules: Readonly<Record<string, CreateRule>> = {
  "pass on retry, one commit": () => passOnRetry("head"),
  "pass on retry, one tree": () => passOnRetry("tree"),
  "three failures in two weeks": () => countOnMain(({ failures }) => failures >= 3),
  "flip rate of 5 %": () => countOnMain(({ flips, runs }) => flips > 0.05 * runs),
  "Trunk Flaky Tests": createTrunkRule,
  "Trunk Flaky Tests, as it comes": createTrunkRuleAsItComes,
  "Buildkite Test Engine": createBuildkiteRule,
  "Buildkite Test Engine, queue too": createBuildkiteRuleWithQueue,
};

/** Forgives a test for a week after the last time that it failed and passed on one commit. */
function passOnRetry(of: "head" | "tree"): FlakyRule {
  const find = watchRetries(of);
  const last = new Map<number, number>();
  return forgiveFlaky([
    {
      see: (upload) => {
        for (const test of find(upload)) last.set(test, upload.at);
      },
      active: (at) => ({
        has: (test) => at - (last.get(test) ?? Number.NEGATIVE_INFINITY) < 7 * day,
        keys: () => last.keys(),
      }),
    },
  ]);
}

/** The last two weeks of a test on main. */
interface CountOnMain {
  readonly runs: number;
  readonly failures: number;
  /** Runs whose outcome differs from that of the run before (Kowalczyk et al., "Modeling and ranking flaky tests at Apple", 2020). */
  readonly flips: number;
}

/** Forgives the tests that are flaky by their counts. */
function countOnMain(isFlaky: (count: CountOnMain) => boolean): FlakyRule {
  /** By variant. */
  const runs = new Map<number, readonly number[]>();
  const before = new Map<number, ReadonlySet<number>>();
  const variantOf = new Map<number, number>();
  const [failures, flips] = [new Map<number, number[]>(), new Map<number, number[]>()];
  const active = new Set<number>();
  const note = (times: Map<number, number[]>, test: number, at: number) =>
    times.set(test, [...(times.get(test) ?? []), at]);
  return forgiveFlaky([
    {
      see: (upload) => {
        if (!isOfMain(upload)) return;
        const { at, variant = 0 } = upload;
        const failed = failedIn(upload);
        const isRecent = (time: number) => at - time < 14 * day;
        runs.set(variant, [...(runs.get(variant) ?? []).filter(isRecent), at]);
        for (const test of failed) note(failures, test, at);
        for (const test of failed) variantOf.set(test, variant);
        const last = before.get(variant) ?? new Set<number>();
        for (const test of failed.symmetricDifference(last)) note(flips, test, at);
        before.set(variant, failed);
        active.clear();
        const lengths = new Map([...runs].map(([of, times]) => [of, times.filter(isRecent).length]));
        for (const test of flips.keys()) {
          const count = (times: Map<number, number[]>) => (times.get(test) ?? []).filter(isRecent).length;
          const length = lengths.get(variantOf.get(test) ?? 0) ?? 0;
          if (isFlaky({ runs: length, failures: count(failures), flips: count(flips) })) active.add(test);
        }
      },
      active: () => active,
    },
  ]);
}
