import { createHash } from "node:crypto";
import { day, hour, minute } from "../../../src/flaky/detection/settings.ts";
import { maskGenerated } from "../../../src/flaky/generated-parts.ts";
import {
  createRandomSource,
  exponential,
  type RandomSource,
} from "../../../src/replay/workload/random-source.ts";
import { type Breakage, type Change, type Commit, type MadeUpTests, makeUpTests } from "./made-up-tests.ts";
import type { SimulatedFailure, SimulatedHistory, SimulatedUpload } from "./rule.ts";
import type { FlakyWorld } from "./world.ts";

/** The number of pull requests that add races to one test, each by its own change. */
const racingTogether = 4;

/** The number of pushes of a long-lived branch, one a day on its first base. */
const longPushes = 8;

/** Number of tests that are the first to notice a problem. */
const watchful = 5;
const mostAttempts = 3;

/** Generates a history from a seed. The same seed and world give the same history. */
export function generateHistory(world: FlakyWorld, seed: number): SimulatedHistory {
  return new HistoryGenerator(world, seed).generate();
}

class HistoryGenerator {
  readonly #world: FlakyWorld;
  readonly #random: RandomSource;
  readonly #tests: MadeUpTests;
  readonly #breakages: readonly Breakage[];
  readonly #outages: readonly Breakage[];
  readonly #renames: { readonly at: number; readonly test: number }[];
  readonly #brokenSince = new Map<number, number>();
  readonly #uploads: SimulatedUpload[] = [];
  readonly #blipShare: number;
  /** The variants as the service distinguishes them. */
  readonly #variants: string[] = [];
  #names = 0;

  constructor(world: FlakyWorld, seed: number) {
    this.#world = world;
    this.#random = createRandomSource(seed);
    this.#tests = makeUpTests(world, this.#random);
    this.#breakages = [
      ...this.#occasions(world.breakages).map((from) =>
        this.#breakage(from, 0.5 + 3 * this.#random(), "main"),
      ),
      ...(world.release > 0
        ? this.#occasions(0.15).map((from) => this.#breakage(from, 72 + 96 * this.#random(), "release"))
        : []),
      ...(world.legs > 1
        ? this.#occasions(0.4).map((from) => ({
            ...this.#breakage(from, 24 + 72 * this.#random(), null),
            leg: this.#below(world.legs),
          }))
        : []),
    ];
    this.#outages = this.#occasions(world.outages).map((from) =>
      this.#breakage(from, 0.4 + this.#random(), null),
    );
    this.#renames = this.#occasions(world.renames).map((at) => ({ at, test: this.#below(world.tests) }));
    for (let count = 0; count < world.brokenForGood; count += 1)
      this.#brokenSince.set(this.#flake(), (0.4 + 0.4 * this.#random()) * world.days * day);
    for (let count = 0; count < world.renamedFlakes; count += 1)
      this.#renames.push({ at: (0.2 + 0.6 * this.#random()) * world.days * day, test: this.#flake() });
    this.#blipShare = world.blips / (world.pullRequests * 4);
  }

  generate(): SimulatedHistory {
    const { tests, pullRequests, sharedRaces, uploads } = this.#world;
    for (const at of this.#occasions(pullRequests)) this.#change(at, this.#race(this.#world.races));
    for (const at of this.#occasions(sharedRaces)) {
      const test = this.#below(tests);
      for (let count = 0; count < racingTogether; count += 1)
        this.#change(at + 3 * this.#random() * day, new Map([[test, this.#racingRate()]]));
    }
    const sent = this.#uploads.filter(
      ({ kind }) => kind === "pr" || (kind === "stable" ? uploads.stable : uploads.queue),
    );
    const grouped = this.#tests.groups.flatMap(({ tests }) => tests);
    const flakes = [...this.#tests.flakes.keys()].map((test) => test + (this.#legOf(test) ?? 0) * tests);
    const flaky = new Set([...flakes, ...grouped]);
    for (const { test } of this.#renames) if (flaky.has(test)) flaky.add(this.#renamed(test));
    for (const number of this.#variants.keys()) for (const test of flakes) flaky.add(test + number * tests);
    const variants = this.#world.variants === "legs" ? this.#world.legs : this.#variants.length;
    return {
      tests,
      names: this.#renames.length > 0 ? 2 * tests : Math.max(1, variants) * tests,
      uploads: sent.toSorted((a, b) => a.at - b.at),
      flaky,
      broken: new Set(this.#brokenSince.keys()),
    };
  }

  #race(share: number): ReadonlyMap<number, number> {
    if (this.#random() >= share) return new Map();
    return new Map(this.#some(1, 3).map((test) => [test, this.#racingRate()]));
  }

  #racingRate(): number {
    return 0.15 + 0.35 * this.#random();
  }

  /** One pull request; or a stack of them, which all have its first commit and its race. */
  #change(start: number, raced: Commit["raced"]): void {
    const { stacks, reopened } = this.#world;
    const line = this.#random() < this.#world.release ? "release" : "main";
    const change = { line, raced, commits: [this.#name()] };
    const isStack = stacks > 0 && this.#random() < stacks;
    const isReopened = reopened > 0 && this.#random() < reopened;
    const size = isStack ? 2 + this.#below(3) : 1;
    for (let above = 0; above < size; above += 1)
      this.#pullRequest(start + above * 2 * this.#random() * hour, change, isReopened);
  }

  /** The only leg on which a test is flaky; null = all. */
  #legOf(test: number): number | null {
    return this.#world.variants === "legs" ? test % this.#world.legs : null;
  }

  /** The number of an upload's variant. A generated value in it must not begin a new history. */
  #variantOf({ at, runId }: Pick<SimulatedUpload, "at" | "runId">, leg: number): number {
    if (this.#world.variants !== "changing") return leg;
    const [date] = new Date(at).toISOString().split("T");
    const commit = createHash("sha1").update(runId).digest("hex").slice(0, 10);
    const variant = maskGenerated(`Linux, image=nightly-${date}-${commit}, run=${runId.padStart(8, "1")}`);
    const known = this.#variants.indexOf(variant);
    return known >= 0 ? known : this.#variants.push(variant) - 1;
  }

  #pullRequest(start: number, change: Change, isReopened: boolean): void {
    const world = this.#world;
    const { line, raced } = change;
    const first = this.#uploads.length + 1;
    const commit = (kind: SimulatedUpload["kind"], baseAt: number, broken: readonly number[]): Commit => ({
      ...{ kind, pr: first, line, baseAt, broken, raced, changes: kind === "stable" ? [] : change.commits },
      brokenOn: world.variants === "legs" ? this.#below(world.legs) : null,
      branch: kind === "pr" ? `change-${first}` : kind === "stable" ? line : `queue-${first}`,
      head: this.#name(),
      tree: this.#name(),
    });
    let time = start;
    const isLong = world.longLived > 0 && this.#random() < world.longLived;
    const pushes = isLong ? longPushes : 1 + Math.min(4, Math.floor(1.2 * exponential(this.#random)));
    const brokenFlake = world.brokenFlakes > 0 && this.#random() < world.brokenFlakes ? [this.#flake()] : [];
    for (let push = 1; push <= pushes; push += 1) {
      const breaks = push < pushes && this.#random() < world.regressions * (pushes / (pushes - 1));
      const broken = breaks ? this.#some(1, this.#random() < 0.05 ? 200 : 5) : [];
      const pushed = commit("pr", isLong ? start : time, [...broken, ...brokenFlake]);
      time = this.#testAndRerun(pushed, time);
      time += isLong ? day : (0.3 + 3 * this.#random()) * hour;
      if (!isReopened || push < pushes) continue;
      time = this.#testAndRerun({ ...pushed, pr: this.#uploads.length + 1 }, time);
    }
    // The author gives up the pull request.
    if (brokenFlake.length > 0) return;
    // Most authors notice a race, so such a pull request does not merge. In some worlds it is tested in the queue.
    if (raced.size > 0) {
      if (this.#random() < world.queuedRaces) this.#testAndRerun(commit("queue", time, []), time);
      return;
    }
    if (this.#random() < world.caught) {
      this.#testAndRerun(commit("queue", time, [this.#below(watchful)]), time);
      return;
    }
    // Other pull requests have merged between the queue's test and the merge, so the trees differ.
    for (const kind of ["queue", "stable"] as const) {
      time = this.#testAndRerun(commit(kind, time, []), time) + 20 * minute;
    }
  }

  #flake(): number {
    const flakes = [...this.#tests.flakes.keys()];
    return flakes[this.#below(flakes.length)] ?? 0;
  }

  /** Tests a commit, and re-runs its failed jobs as long as people request it. Returns the end time. */
  #testAndRerun(commit: Commit, at: number): number {
    const { reruns, newBases, legs } = this.#world;
    const runId = this.#name();
    let time = at;
    let failing = Array.from({ length: legs }, (_, leg) => leg);
    for (let attempt = 1; ; attempt += 1) {
      failing = failing.filter((leg) => this.#test(commit, { at: time + leg * minute, runId, attempt }, leg));
      if (failing.length === 0 || attempt === mostAttempts || this.#random() >= reruns) return time;
      time += (15 + 45 * this.#random()) * minute;
      if (commit.kind === "pr" && this.#random() < newBases) {
        return this.#testAndRerun({ ...commit, tree: this.#name(), baseAt: time }, time);
      }
    }
  }

  /** Runs the tests of one leg. Returns whether any test failed. */
  #test(commit: Commit, run: Pick<SimulatedUpload, "at" | "runId" | "attempt">, leg: number): boolean {
    const failed = new Map<number, SimulatedFailure>();
    const variant = this.#world.variants === "none" ? null : this.#variantOf(run, leg);
    const add = (test: number, cause: SimulatedFailure["cause"], message: string) => {
      const name = this.#nameAt(test, commit.baseAt) + (variant ?? 0) * this.#world.tests;
      const hasPassingTwin = cause === "real" && this.#tests.twins.has(test);
      const passedOnRetry = cause === "flaky" && this.#world.retries && this.#random() < 0.8;
      const is = { hasPassingTwin, ...(passedOnRetry && { passedOnRetry }) };
      if (!failed.has(name)) failed.set(name, { test: name, message, cause, ...is });
    };
    this.#addReal(commit, leg, add);
    for (const [test, { rate, messages, since }] of this.#tests.flakes)
      if (commit.baseAt >= since && (this.#legOf(test) ?? leg) === leg && this.#random() < rate)
        add(test, "flaky", messages[this.#below(messages.length)] ?? "");
    for (const { tests, rate } of this.#tests.groups)
      if (this.#random() < rate)
        for (const test of tests) if (this.#random() < 0.8) add(test, "flaky", `order ${test}`);
    this.#addOutage(run.at, add);
    const { kind, pr, branch, line, head, tree, changes } = commit;
    const renamed = this.#renamedBy(commit.baseAt);
    const of = { kind, pr, branch, line, head, tree, changes };
    const numbered = variant === null ? {} : { variant };
    this.#uploads.push({ ...run, ...of, ...numbered, failed: [...failed.values()], renamed });
    return [...failed.values()].some(({ passedOnRetry }) => !passedOnRetry);
  }

  #addReal(commit: Commit, leg: number, add: (test: number, cause: "real", message: string) => void): void {
    const { line, baseAt, broken, brokenOn, raced, pr } = commit;
    // A real failure nearly always has another message than a flaky failure of the same test.
    const words = (test: number, why: string) => {
      const known = this.#tests.flakes.get(test)?.messages[0];
      return known !== undefined && this.#random() < 0.1 ? known : `${why} ${test}`;
    };
    if ((brokenOn ?? leg) === leg) for (const test of broken) add(test, "real", words(test, `change ${pr}`));
    for (const breakage of this.#breakages) {
      const isOn = breakage.from <= baseAt && baseAt < breakage.to;
      if (!isOn || (breakage.line ?? line) !== line || (breakage.leg ?? leg) !== leg) continue;
      for (const test of breakage.tests) add(test, "real", words(test, `breakage ${breakage.from}`));
    }
    for (const [test, since] of this.#brokenSince)
      if (baseAt >= since) add(test, "real", words(test, "broken for good"));
    for (const [test, rate] of raced) if (this.#random() < rate) add(test, "real", words(test, `race ${pr}`));
  }

  #addOutage(at: number, add: (test: number, cause: "outage", message: string) => void): void {
    if (this.#outages.some(({ from, to }) => from <= at && at < to) && this.#random() < 0.7) {
      const lost = (0.02 + 0.4 * this.#random()) * this.#world.tests;
      for (let count = 0; count < lost; count += 1) add(this.#below(this.#world.tests), "outage", "outage");
    }
    if (this.#random() < this.#blipShare) for (const test of this.#some(3, 8)) add(test, "outage", "blip");
  }

  /** Returns the number of a test, which depends on its name at that time. */
  #nameAt(test: number, at: number): number {
    return this.#renames.some((rename) => rename.test === test && rename.at <= at)
      ? this.#renamed(test)
      : test;
  }

  #renamedBy(at: number): ReadonlySet<number> {
    return new Set(this.#renames.filter((rename) => rename.at <= at).map(({ test }) => test));
  }

  #renamed(test: number): number {
    return this.#world.tests + test;
  }

  #breakage(from: number, hours: number, line: string | null): Breakage {
    return { from, to: from + hours * hour, tests: this.#some(1, 5), line, leg: null };
  }

  #occasions(rate: number): number[] {
    const end = this.#world.days * day;
    const times: number[] = [];
    if (rate <= 0) return times;
    for (let at = 0; ; ) {
      at += (exponential(this.#random) / rate) * day;
      if (at >= end) return times;
      times.push(at);
    }
  }

  #some(least: number, most: number): number[] {
    return Array.from({ length: least + this.#below(most - least + 1) }, () =>
      this.#below(this.#world.tests),
    );
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #name(): string {
    this.#names += 1;
    return String(this.#names);
  }
}
