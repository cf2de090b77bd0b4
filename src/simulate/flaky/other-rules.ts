import { day, hour } from "../../flaky/detection/settings.ts";
import type { CreateRule, FlakyRule } from "./rule.ts";
import type { SimulatedUpload } from "./upload.ts";

type Filter = (upload: SimulatedUpload) => boolean;

/** The plain rules of other products: what a repository would have without the rest. A test counts again after a week without news. */
export const otherRules: Readonly<Record<string, CreateRule>> = {
  "pass on retry, one commit": () => passOnRetry("head", () => true),
  "same, without > 80 % failing": (_names, tests) =>
    passOnRetry("head", ({ failed }) => failed.length <= 0.8 * tests),
  "pass on retry, one tree": () => passOnRetry("tree", () => true),
  "stable fails >= 20 % of 24 h, min 20": () => failureRate(0.2, 20),
  "stable changes >= 20 % of 20 runs": () => transitions(20, 0.2),
};

/** Forgives a test for a week from the last time that it was seen to be flaky. */
function forgiving(see: (upload: SimulatedUpload, flag: (test: number) => void) => void): FlakyRule {
  const flagged = new Map<number, number>();
  const last = new Map<number, number>();
  return {
    flagged,
    forgiven: ({ at, failed }) =>
      new Set(failed.map(({ test }) => test).filter((test) => at - (last.get(test) ?? -8 * day) < 7 * day)),
    see: (upload) =>
      see(upload, (test) => {
        last.set(test, upload.at);
        if (!flagged.has(test)) flagged.set(test, upload.at);
      }),
  };
}

/** A failure and a pass of one commit. Two cases of one name, of which the second passes, are one. */
function passOnRetry(of: "head" | "tree", isKept: Filter): FlakyRule {
  const seen = new Map<string, SimulatedUpload[]>();
  return forgiving((upload, flag) => {
    if (!isKept(upload)) return;
    for (const { test, hasPassingTwin } of upload.failed) if (hasPassingTwin) flag(test);
    const earlier = seen.get(upload[of]) ?? [];
    for (const one of earlier) for (const test of difference(one, upload)) flag(test);
    seen.set(upload[of], [...earlier, upload]);
  });
}

/** First attempts on stable branches in the last 24 hours. */
function failureRate(share: number, least: number): FlakyRule {
  let recent: SimulatedUpload[] = [];
  return forgiving((upload, flag) => {
    if (!isOnStable(upload)) return;
    recent = [...recent.filter(({ at }) => upload.at - at < 24 * hour), upload];
    if (recent.length < least) return;
    for (const test of testsOf(upload)) {
      const failures = recent.filter((one) => testsOf(one).has(test)).length;
      if (failures >= share * recent.length) flag(test);
    }
  });
}

/** Changes between passing and failing from one run on a stable branch to the next. */
function transitions(window: number, share: number): FlakyRule {
  let recent: SimulatedUpload[] = [];
  return forgiving((upload, flag) => {
    if (!isOnStable(upload)) return;
    recent = [...recent, upload].slice(-window);
    if (recent.length < window) return;
    for (const test of testsOf(upload)) {
      const outcomes = recent.map((one) => testsOf(one).has(test));
      const changes = outcomes.filter((failed, at) => at > 0 && failed !== outcomes[at - 1]).length;
      if (changes >= share * window) flag(test);
    }
  });
}

function isOnStable({ kind, attempt }: SimulatedUpload): boolean {
  return kind !== "pr" && attempt === 1;
}

function testsOf({ failed }: SimulatedUpload): Set<number> {
  return new Set(failed.map(({ test }) => test));
}

/** What failed in one and not in the other. */
function difference(one: SimulatedUpload, other: SimulatedUpload): ReadonlySet<number> {
  return testsOf(one).symmetricDifference(testsOf(other));
}
