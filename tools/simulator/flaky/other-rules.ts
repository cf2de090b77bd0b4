import { day } from "../../../src/flaky/detection/settings.ts";
import { createBuildkiteRule, createBuildkiteRuleWithQueue } from "./buildkite.ts";
import { forgiveFlaky, watchRetries } from "./monitor.ts";
import type { CreateRule, FlakyRule } from "./rule.ts";
import { createTrunkRule, createTrunkRuleAsItComes } from "./trunk.ts";

/** The simple rule, and the documented rules of two products. */
export const otherRules: Readonly<Record<string, CreateRule>> = {
  "pass on retry, one commit": () => passOnRetry("head"),
  "pass on retry, one tree": () => passOnRetry("tree"),
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
