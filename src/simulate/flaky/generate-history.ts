import { day, hour, minute } from "../../flaky/detection/settings.ts";
import { createRandomSource, exponential, type RandomSource } from "../random-source.ts";
import type { FlakyHistory, SimulatedUpload } from "./upload.ts";
import { type FlakyWorkload, flakyRate } from "./workload.ts";

/** Some time, and the tests that fail in it. */
interface Trouble {
  readonly from: number;
  readonly to: number;
  readonly tests: readonly number[];
}

/** A commit that is tested. */
interface Commit {
  readonly branch: SimulatedUpload["branch"];
  readonly head: number;
  readonly tree: number;
  /** When its base was the newest: what was broken then is broken in it. */
  readonly baseAt: number;
  /** What it breaks itself. */
  readonly broken: readonly number[];
}

/** Tests that are the first to notice what goes wrong. */
const watchful = 5;

/** A history drawn from a seed: the same seed and workload give the same one. */
export function generateHistory(workload: FlakyWorkload, seed: number): FlakyHistory {
  const random = createRandomSource(seed);
  const end = workload.days * day;
  const pick = () => Math.floor(random() * workload.tests);
  const pickSome = (least: number, most: number) =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, pick);
  const occasions = (rate: number) =>
    Array.from({ length: draws(random, rate * workload.days) }, () => random() * end);

  const flaky = new Map<number, number>();
  while (flaky.size < workload.flaky) flaky.set(pick(), flakyRate(random()));
  const breakages = occasions(workload.breakages).map(
    (from): Trouble => ({ from, to: from + (0.3 + 2 * random()) * hour, tests: pickSome(1, 5) }),
  );
  const outages = occasions(workload.outages).map(
    (from): Trouble => ({ from, to: from + (20 + 60 * random()) * minute, tests: [] }),
  );
  const blipShare = workload.blips / (workload.pullRequests * runsOfPullRequest(workload));

  const uploads: SimulatedUpload[] = [];
  const flakes: { test: number; at: number }[] = [];
  let commits = 0;

  function test(commit: Commit, at: number, attempt = 1): boolean {
    const failed = new Set(commit.broken);
    for (const { from, to, tests } of breakages)
      if (from <= commit.baseAt && commit.baseAt < to) for (const one of tests) failed.add(one);
    for (const [one, rate] of flaky) {
      if (random() >= rate || failed.has(one)) continue;
      failed.add(one);
      flakes.push({ test: one, at });
    }
    if (outages.some(({ from, to }) => from <= at && at < to) && random() < 0.7) {
      const lost = (0.02 + 0.4 * random()) * workload.tests;
      for (let count = 0; count < lost; count += 1) failed.add(pick());
    }
    if (random() < blipShare) for (const one of pickSome(3, 8)) failed.add(one);
    const { branch, head, tree } = commit;
    uploads.push({ at, branch, head, tree, attempt, failed: [...failed] });
    return failed.size === 0;
  }

  /** Runs it, and again for as long as somebody asks for it, three times at most. */
  function testAndRerun(commit: Commit, at: number): number {
    let time = at;
    for (let attempt = 1; ; attempt += 1) {
      const passed = test(commit, time, attempt);
      if (passed || attempt === 3 || random() >= workload.reruns) return time;
      time += (15 + 45 * random()) * minute;
      if (commit.branch === "pr" && random() < workload.newBases) {
        testAndRerun({ ...commit, tree: next(), baseAt: time }, time);
        return time;
      }
    }
  }

  function next(): number {
    commits += 1;
    return commits;
  }

  for (const start of occasions(workload.pullRequests)) {
    let time = start;
    const pushes = 1 + Math.min(5, Math.floor(1.5 * exponential(random)));
    for (let push = 1; push <= pushes; push += 1) {
      const breaks = push < pushes && random() < workload.regressions * (pushes / (pushes - 1));
      const broken = breaks ? pickSome(1, random() < 0.05 ? 200 : 5) : [];
      time = testAndRerun({ branch: "pr", head: next(), tree: next(), baseAt: time, broken }, time);
      time += (0.3 + 3 * random()) * hour;
    }
    if (workload.caught > 0 && random() < workload.caught) {
      const broken = [Math.floor(random() * watchful)];
      testAndRerun({ branch: "queue", head: next(), tree: next(), baseAt: time, broken }, time);
      continue;
    }
    // Other pull requests have merged between the queue's test and the merge: the trees differ.
    for (const branch of ["queue", "stable"] as const) {
      time = testAndRerun({ branch, head: next(), tree: next(), baseAt: time, broken: [] }, time);
      time += 20 * minute;
    }
  }

  uploads.sort((a, b) => a.at - b.at);
  return { tests: workload.tests, uploads, flaky, flakes };
}

/** About so many uploads come of one pull request. */
function runsOfPullRequest({ reruns }: FlakyWorkload): number {
  return 4 * (1 + reruns + reruns * reruns);
}

/** How often something happens that happens so often on average (Poisson, by its gaps). */
function draws(random: RandomSource, mean: number): number {
  let count = 0;
  for (let sum = exponential(random); sum < mean; sum += exponential(random)) count += 1;
  return count;
}
