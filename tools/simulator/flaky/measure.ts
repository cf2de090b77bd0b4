import { day } from "../../../src/flaky/detection/settings.ts";
import { createBuildkiteRule, createBuildkiteRuleWithQueue } from "./buildkite.ts";
import { forgiveFlaky, watchRetries } from "./monitor.ts";
import type { CreateRule, FlakyRule, SimulatedHistory } from "./rule.ts";
import { createTrunkRule, createTrunkRuleAsItComes } from "./trunk.ts";

/** The quality of a rule on one or several histories. Shares are fractions of 1; null = the denominator is 0. */
export interface Measured {
  /** The share of truly flaky tests among those that the rule marked as flaky. */
  readonly precision: number | null;
  /** The share of flaky failures that were forgiven. */
  readonly forgiven: number | null;
  /** Among the uploads with a real failure, the share in which all failures were forgiven. */
  readonly harm: number | null;
  /** Among the flaky tests that broke for good, the maximum number of one test's failures that were forgiven after that. */
  readonly mostForgivenOfBroken: number | null;
}

export async function measure(
  createRule: CreateRule,
  histories: readonly SimulatedHistory[],
): Promise<Measured> {
  let [flagged, right, flakes, forgivenFlakes, realUploads, harmed] = [0, 0, 0, 0, 0, 0];
  let mostForgivenOfBroken: number | null = null;
  for (const { tests, names, uploads, flaky, broken } of histories) {
    const rule = createRule(names, tests);
    const forgivenOfBroken = new Map([...broken].map((test) => [test, 0]));
    for (const upload of uploads) {
      const forgiven = rule.forgiven(upload);
      const real = upload.failed.filter(({ cause }) => cause === "real");
      realUploads += real.length > 0 ? 1 : 0;
      harmed += real.length > 0 && upload.failed.every(({ test }) => forgiven.has(test)) ? 1 : 0;
      for (const { test, cause, message } of upload.failed) {
        flakes += cause === "flaky" ? 1 : 0;
        forgivenFlakes += cause === "flaky" && forgiven.has(test) ? 1 : 0;
        if (message.startsWith("broken for good") && forgiven.has(test) && broken.has(test))
          forgivenOfBroken.set(test, (forgivenOfBroken.get(test) ?? 0) + 1);
      }
      await rule.see(upload);
    }
    flagged += rule.flagged.size;
    right += [...rule.flagged.keys()].filter((test) => flaky.has(test)).length;
    if (broken.size > 0)
      mostForgivenOfBroken = Math.max(mostForgivenOfBroken ?? 0, ...forgivenOfBroken.values());
  }
  return {
    precision: share(right, flagged),
    forgiven: share(forgivenFlakes, flakes),
    harm: share(harmed, realUploads),
    mostForgivenOfBroken,
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

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
