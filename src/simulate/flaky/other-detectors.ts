import { addRun, isFlakyByCusum, restingCusum } from "../../flaky/detection/cusum.ts";
import { hour } from "../../flaky/detection/settings.ts";
import type { CreateDetector, FlakyDetector } from "./detector.ts";
import { createInfrastructureFilter } from "./our-detector.ts";
import type { SimulatedUpload } from "./upload.ts";

type Filter = (upload: SimulatedUpload) => boolean;

/** The plain rules of other products, and parts of ours alone: what a repository would have without the rest. */
export const otherDetectors: Readonly<Record<string, CreateDetector>> = {
  "pass on retry, head SHA": (tests) => passOnRetry("head", 1, keepAll(tests)),
  "same, without > 80 % failing": (tests) => passOnRetry("head", 1, keepMost(tests)),
  "same, without suspect uploads": (tests) => passOnRetry("head", 1, createInfrastructureFilter(tests)),
  "pass on retry, tree, no suspect": (tests) => passOnRetry("tree", 1, createInfrastructureFilter(tests)),
  "same, on two trees": (tests) => passOnRetry("tree", 2, createInfrastructureFilter(tests)),
  "main fails >= 20 % of 24 h, min 20": () => failureRate(0.2, 20),
  "main fails >= 30 % of 24 h, min 10": () => failureRate(0.3, 10),
  "main changes >= 20 % of 20 runs": () => transitions(20, 0.2),
  "CUSUM alone": (tests) => cusum(createInfrastructureFilter(tests)),
};

const keepAll =
  (_tests: number): Filter =>
  () =>
    true;
const keepMost =
  (tests: number): Filter =>
  ({ failed }) =>
    failed.length <= 0.8 * tests;

/** A failure and a pass of one commit, on so many commits. */
function passOnRetry(of: "head" | "tree", needed: number, isKept: Filter): FlakyDetector {
  const flagged = new Map<number, number>();
  const seen = new Map<number, SimulatedUpload[]>();
  const flips = new Map<number, Set<number>>();

  function see(upload: SimulatedUpload): void {
    if (!isKept(upload)) return;
    const key = upload[of];
    const earlier = seen.get(key) ?? [];
    for (const one of earlier) {
      for (const test of difference(one.failed, upload.failed)) {
        const commits = flips.get(test) ?? new Set();
        flips.set(test, commits.add(key));
        if (commits.size >= needed && !flagged.has(test)) flagged.set(test, upload.at);
      }
    }
    seen.set(key, [...earlier, upload]);
  }

  return { see, flagged };
}

/** First attempts on main in the last 24 hours. */
function failureRate(share: number, least: number): FlakyDetector {
  const flagged = new Map<number, number>();
  let recent: SimulatedUpload[] = [];

  function see(upload: SimulatedUpload): void {
    if (!isOnMain(upload)) return;
    recent = [...recent.filter(({ at }) => upload.at - at < 24 * hour), upload];
    if (recent.length < least) return;
    for (const test of upload.failed) {
      const failures = recent.filter(({ failed }) => failed.includes(test)).length;
      if (failures >= share * recent.length && !flagged.has(test)) flagged.set(test, upload.at);
    }
  }

  return { see, flagged };
}

/** Changes between passing and failing from one run on main to the next. */
function transitions(window: number, share: number): FlakyDetector {
  const flagged = new Map<number, number>();
  let recent: SimulatedUpload[] = [];

  function see(upload: SimulatedUpload): void {
    if (!isOnMain(upload)) return;
    recent = [...recent, upload].slice(-window);
    if (recent.length < window) return;
    for (const test of upload.failed) {
      const outcomes = recent.map(({ failed }) => failed.includes(test));
      const changes = outcomes.filter((failed, at) => at > 0 && failed !== outcomes[at - 1]).length;
      if (changes >= share * window && !flagged.has(test)) flagged.set(test, upload.at);
    }
  }

  return { see, flagged };
}

function cusum(isKept: Filter): FlakyDetector {
  const flagged = new Map<number, number>();
  const sums = new Map<number, typeof restingCusum>();

  function see(upload: SimulatedUpload): void {
    if (!isKept(upload) || !isOnMain(upload)) return;
    const failed = new Set(upload.failed);
    for (const test of new Set([...sums.keys(), ...failed])) {
      const sum = addRun(sums.get(test) ?? restingCusum, failed.has(test) ? "failed" : "passed");
      if (sum === restingCusum) sums.delete(test);
      else sums.set(test, sum);
      if (isFlakyByCusum(sum) && !flagged.has(test)) flagged.set(test, upload.at);
    }
  }

  return { see, flagged };
}

function isOnMain({ branch, attempt }: SimulatedUpload): boolean {
  return branch !== "pr" && attempt === 1;
}

/** What is in one and not in the other. */
function difference(one: readonly number[], other: readonly number[]): readonly number[] {
  const [a, b] = [new Set(one), new Set(other)];
  return [...a.symmetricDifference(b)];
}
