import { day, hour, minute } from "../../../src/flaky/detection/settings.ts";
import {
  createRandomSource,
  exponential,
  normal,
  type RandomSource,
} from "../../../src/replay/workload/random-source.ts";
import type { SimulatedFailure, SimulatedHistory, SimulatedUpload } from "./rule.ts";
import type { FlakyWorld } from "./world.ts";

/** A period in which something makes tests fail in every run. */
interface Breakage {
  readonly from: number;
  readonly to: number;
  readonly tests: readonly number[];
  /** Null = on every line. */
  readonly line: string | null;
  /** Null = on every leg. */
  readonly leg: number | null;
}

/** A commit that is tested. */
interface Commit extends Pick<SimulatedUpload, "kind" | "pr" | "branch" | "line" | "head" | "tree"> {
  /** When its base was the newest commit. Anything that was broken then is broken in it. */
  readonly baseAt: number;
  /** The tests that it breaks. */
  readonly broken: readonly number[];
  /** The tests that it makes fail sometimes, with their failure rates. */
  readonly raced: ReadonlyMap<number, number>;
}

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
  readonly #renames: readonly { readonly at: number; readonly test: number }[];
  readonly #brokenSince = new Map<number, number>();
  readonly #uploads: SimulatedUpload[] = [];
  readonly #blipShare: number;
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
    const flaky = [...this.#tests.flakes.keys()];
    for (let count = 0; count < world.brokenForGood; count += 1)
      this.#brokenSince.set(
        flaky[this.#below(flaky.length)] ?? 0,
        (0.4 + 0.4 * this.#random()) * world.days * day,
      );
    this.#blipShare = world.blips / (world.pullRequests * 4);
  }

  generate(): SimulatedHistory {
    for (const at of this.#occasions(this.#world.pullRequests)) this.#pullRequest(at);
    const { uploads } = this.#world;
    const sent = this.#uploads.filter(
      ({ kind }) => kind === "pr" || (kind === "stable" ? uploads.stable : uploads.queue),
    );
    const grouped = this.#tests.groups.flatMap(({ tests }) => tests);
    const flaky = new Set([...this.#tests.flakes.keys(), ...grouped]);
    for (const { test } of this.#renames) if (flaky.has(test)) flaky.add(this.#renamed(test));
    return {
      tests: this.#world.tests,
      names: this.#world.renames > 0 ? 2 * this.#world.tests : this.#world.tests,
      uploads: sent.toSorted((a, b) => a.at - b.at),
      flaky,
      broken: new Set(this.#brokenSince.keys()),
    };
  }

  #pullRequest(start: number): void {
    const world = this.#world;
    const pr = this.#uploads.length + 1;
    const line = this.#random() < world.release ? "release" : "main";
    const branch = `change-${pr}`;
    const raced = new Map<number, number>();
    if (this.#random() < world.races)
      for (const test of this.#some(1, 3)) raced.set(test, 0.15 + 0.35 * this.#random());
    const commit = (kind: SimulatedUpload["kind"], baseAt: number, broken: readonly number[]): Commit => ({
      ...{ kind, pr, line, baseAt, broken, raced },
      branch: kind === "pr" ? branch : kind === "stable" ? line : `queue-${pr}`,
      head: this.#name(),
      tree: this.#name(),
    });
    let time = start;
    const pushes = 1 + Math.min(4, Math.floor(1.2 * exponential(this.#random)));
    for (let push = 1; push <= pushes; push += 1) {
      const breaks = push < pushes && this.#random() < world.regressions * (pushes / (pushes - 1));
      const broken = breaks ? this.#some(1, this.#random() < 0.05 ? 200 : 5) : [];
      time = this.#testAndRerun(commit("pr", time, broken), time);
      time += (0.3 + 3 * this.#random()) * hour;
    }
    // Authors notice a race, so such a pull request does not merge.
    if (raced.size > 0) return;
    if (this.#random() < world.caught) {
      this.#testAndRerun(commit("queue", time, [this.#below(watchful)]), time);
      return;
    }
    // Other pull requests have merged between the queue's test and the merge, so the trees differ.
    for (const kind of ["queue", "stable"] as const) {
      time = this.#testAndRerun(commit(kind, time, []), time) + 20 * minute;
    }
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
    const add = (test: number, cause: SimulatedFailure["cause"], message: string) => {
      const name = this.#nameAt(test, commit.baseAt);
      const hasPassingTwin = cause === "real" && this.#tests.twins.has(test);
      if (!failed.has(name)) failed.set(name, { test: name, message, cause, hasPassingTwin });
    };
    this.#addReal(commit, leg, add);
    for (const [test, { rate, messages }] of this.#tests.flakes)
      if (this.#random() < rate) add(test, "flaky", messages[this.#below(messages.length)] ?? "");
    for (const { tests, rate } of this.#tests.groups)
      if (this.#random() < rate)
        for (const test of tests) if (this.#random() < 0.8) add(test, "flaky", `order ${test}`);
    this.#addOutage(run.at, add);
    const { kind, pr, branch, line, head, tree } = commit;
    const renamed = this.#renamedBy(commit.baseAt);
    this.#uploads.push({ ...run, kind, pr, branch, line, head, tree, failed: [...failed.values()], renamed });
    return failed.size > 0;
  }

  #addReal(commit: Commit, leg: number, add: (test: number, cause: "real", message: string) => void): void {
    const { line, baseAt, broken, raced, pr } = commit;
    // A real failure nearly always has another message than a flaky failure of the same test.
    const words = (test: number, why: string) => {
      const known = this.#tests.flakes.get(test)?.messages[0];
      return known !== undefined && this.#random() < 0.1 ? known : `${why} ${test}`;
    };
    for (const test of broken) add(test, "real", words(test, `change ${pr}`));
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

/** A test that sometimes fails without cause. */
interface MadeUpFlake {
  /** Its failure rate, from 0 to 1. */
  readonly rate: number;
  readonly messages: readonly string[];
}

/** The tests of a generated repository, with the truth about them. */
interface MadeUpTests {
  readonly flakes: ReadonlyMap<number, MadeUpFlake>;
  /** Tests that fail together, with their failure rate. */
  readonly groups: readonly { readonly tests: readonly number[]; readonly rate: number }[];
  readonly twins: ReadonlySet<number>;
}

const groupSize = 6;

/** Maximum rate. People notice more frequent failures by themselves. */
const highestRate = 0.35;

function flakyRate({ median, spread }: FlakyWorld["rates"], random: RandomSource): number {
  return Math.min(highestRate, median * Math.exp(spread * normal(random)));
}

/** Two of three always fail with the same message (FlakeFlagger, 2021: 64 % have one type of exception). */
function messagesOf(test: number, random: RandomSource): readonly string[] {
  const kinds = random() < 0.64 ? 1 : 2 + Math.floor(2 * random());
  return Array.from({ length: kinds }, (_, kind) => `flake ${test}.${kind}`);
}

function makeUpTests(world: FlakyWorld, random: RandomSource): MadeUpTests {
  const pick = () => Math.floor(random() * world.tests);
  const flakes = new Map<number, MadeUpFlake>();
  while (flakes.size < Math.round(world.flaky * world.tests)) {
    const test = pick();
    flakes.set(test, { rate: flakyRate(world.rates, random), messages: messagesOf(test, random) });
  }
  const groups = Array.from({ length: Math.round(world.orderDependent / groupSize) }, () => {
    const tests = Array.from({ length: groupSize }, pick);
    return { tests: tests.filter((test) => !flakes.has(test)), rate: 0.01 + 0.05 * random() };
  });
  const twins = new Set<number>();
  while (twins.size < Math.round(world.twins * world.tests)) twins.add(pick());
  return { flakes, groups, twins };
}
