import { createHash } from "node:crypto";
import { day, hour, minute } from "../../../src/flaky/detection/settings.ts";
import {
  createRandomSource,
  exponential,
  type RandomSource,
} from "../../../src/replay/workload/random-source.ts";

/** A repository whose tests change. Rates are per day, shares are fractions of 1. */
export interface GrowingWorld {
  readonly tests: number;
  readonly days: number;
  readonly pullRequests: number;
  /** The share of pull requests that add tests. */
  readonly adding: number;
  /** The share of pull requests that delete a test. */
  readonly deleting: number;
  /** The share of pull requests whose test merge is tested. Of the others, the head is tested, and its base is not known. */
  readonly testMerges: number;
  /** The share of pull requests that leave the queue after their test has passed. */
  readonly leaving: number;
  /** The share of uploads that lost a suite, beside a flaky failure. */
  readonly lost: number;
  readonly shards: number;
  /** The share of tests that move to another shard before each run. */
  readonly moving: number;
}

const growing: GrowingWorld = {
  tests: 300,
  days: 5,
  pullRequests: 30,
  adding: 0.6,
  deleting: 0.02,
  testMerges: 0.8,
  leaving: 0.08,
  lost: 0,
  shards: 1,
  moving: 0,
};

/** The worlds in which it is measured how often complete uploads count as complete. */
export const growingWorlds = {
  "growing suites: 60 % of pull requests add tests": growing,
  "growing suites, bases unknown": { ...growing, testMerges: 0 },
  "deleted tests: 10 % of pull requests delete one": { ...growing, deleting: 0.1 },
  "dynamic shards": { ...growing, days: 3, shards: 4, moving: 1 },
  "dynamic shards that change slowly": { ...growing, days: 3, shards: 4, moving: 0.02 },
  "fixed shards": { ...growing, shards: 4 },
  "lost suites": { ...growing, lost: 0.1 },
  "lost suites of fixed shards": { ...growing, shards: 4, lost: 0.05 },
  "lost suites of dynamic shards": { ...growing, days: 3, shards: 4, moving: 1, lost: 0.05 },
} as const satisfies Readonly<Record<string, GrowingWorld>>;

/** An upload of one job. Its tests that are not listed as failed have passed. */
export interface GrowingUpload {
  readonly at: number;
  readonly kind: "pr" | "stable" | "queue";
  /** Null unless a pull request was tested. */
  readonly pr: number | null;
  readonly branch: string;
  readonly headSha: string;
  readonly treeSha: string;
  /** Null: the job does not know it. */
  readonly baseSha: string | null;
  readonly runId: string;
  readonly runAttempt: number;
  readonly job: string;
  readonly variant: string;
  readonly tests: readonly string[];
  /** Tests that failed without a cause. */
  readonly failed: readonly string[];
  /** Whether a suite did not run. */
  readonly isLost: boolean;
}

interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly tests: ReadonlySet<string>;
}

interface Change {
  readonly pr: number;
  readonly adds: readonly string[];
  readonly deletes: readonly string[];
}

type Run = Pick<GrowingUpload, "kind" | "pr" | "branch" | "headSha" | "treeSha" | "baseSha"> & {
  readonly tests: ReadonlySet<string>;
};

/** Tests that sometimes fail without a cause. They are never deleted. */
export const flakyTests: readonly string[] = Array.from(
  { length: 12 },
  (_, at) => `suite ${at % 10} > flaky ${at}`,
);
const flakyRate = 0.03;
const suites = 10;
const mostAttempts = 3;

/** Generates the uploads of a repository from a seed. The same seed and world give the same uploads. */
export function generateGrowth(world: GrowingWorld, seed: number): readonly GrowingUpload[] {
  return new GrowthGenerator(world, seed).generate();
}

class GrowthGenerator {
  readonly #world: GrowingWorld;
  readonly #random: RandomSource;
  readonly #uploads: GrowingUpload[] = [];
  readonly #events: { readonly at: number; readonly happen: () => void }[] = [];
  readonly #shardOf = new Map<string, number>();
  /** Changes whose queue runs have not ended, in the order in which they will merge. */
  #queued: readonly Change[] = [];
  #main: Commit;
  #runs = 0;
  #at = 0;

  constructor(world: GrowingWorld, seed: number) {
    this.#world = world;
    this.#random = createRandomSource(seed);
    const others = Array.from({ length: world.tests }, (_, at) => `suite ${at % suites} > test ${at}`);
    this.#main = {
      sha: sha("main 0"),
      tree: sha("tree of main 0"),
      tests: new Set([...flakyTests, ...others]),
    };
  }

  generate(): readonly GrowingUpload[] {
    const { days, pullRequests } = this.#world;
    this.#testMain(0, null);
    for (let [at, pr] = [0, 1]; ; pr += 1) {
      at += (exponential(this.#random) / pullRequests) * day;
      if (at >= days * day) break;
      const number = pr;
      this.#plan(at, () => this.#open(at, number));
    }
    for (let next = this.#events.shift(); next; next = this.#events.shift()) {
      this.#at = next.at;
      next.happen();
    }
    return this.#uploads.toSorted((a, b) => a.at - b.at);
  }

  #plan(at: number, happen: () => void): void {
    const index = this.#events.findIndex((event) => event.at > at);
    this.#events.splice(index < 0 ? this.#events.length : index, 0, { at, happen });
  }

  #open(at: number, pr: number): void {
    const { adding, deleting, testMerges } = this.#world;
    const added = this.#random() < adding ? 1 + this.#below(3) : 0;
    const adds = Array.from(
      { length: added },
      (_, index) => `suite ${this.#below(suites)} > of change ${pr}.${index}`,
    );
    const old = [...this.#main.tests].filter((test) => !flakyTests.includes(test));
    const deletes = this.#random() < deleting ? [old[this.#below(old.length)] ?? ""] : [];
    const change = { pr, adds, deletes };
    const branchedAt = this.#main;
    const isMerged = this.#random() < testMerges;
    const pushes = 1 + this.#below(3);
    let time = at;
    for (let push = 1; push <= pushes; push += 1) {
      const headSha = sha(`head ${pr} ${push}`);
      this.#plan(time, () => {
        const base = isMerged ? this.#main : branchedAt;
        const treeSha = sha(`tree ${pr} ${push} ${base.sha}`);
        const run = { kind: "pr" as const, pr, branch: `change-${pr}`, headSha, treeSha };
        const baseSha = isMerged ? base.sha : null;
        this.#test(time, { ...run, baseSha, tests: withChange(base.tests, change) });
        if (push === pushes) this.#plan(time + this.#random() * 10 * hour, () => this.#enqueue(change));
      });
      time += (0.5 + 8 * this.#random()) * hour;
    }
  }

  #enqueue(change: Change): void {
    const at = this.#at;
    this.#queued = [...this.#queued, change];
    this.#testQueued(at, change);
    const isLeaving = this.#random() < this.#world.leaving;
    this.#plan(at + (20 + 40 * this.#random()) * minute, () => this.#leave(change, isLeaving));
  }

  /** A queue tests a change on top of those ahead of it. */
  #testQueued(at: number, change: Change): void {
    const ahead = this.#queued.slice(0, this.#queued.indexOf(change));
    const tests = [...ahead, change].reduce((all, one) => withChange(all, one), this.#main.tests);
    const named = (changes: readonly Change[]) =>
      changes.reduce((base, { pr }) => sha(`${base} ${pr}`), this.#main.sha);
    const baseSha = named(ahead);
    const headSha = sha(`${baseSha} ${change.pr}`);
    const branch = `trainyard-merge/pr-${change.pr}/run`;
    this.#test(at, {
      kind: "queue",
      pr: null,
      branch,
      headSha,
      treeSha: sha(`tree ${headSha}`),
      baseSha,
      tests,
    });
  }

  #leave(change: Change, isLeaving: boolean): void {
    if (!isLeaving && this.#queued[0] !== change) {
      this.#plan(this.#at + 5 * minute, () => this.#leave(change, false));
      return;
    }
    const behind = this.#queued.slice(this.#queued.indexOf(change) + 1);
    this.#queued = this.#queued.filter((one) => one !== change);
    const at = this.#at;
    if (isLeaving) for (const one of behind) this.#testQueued(at, one);
    else this.#testMain(at, change);
  }

  /** Merges a change as a squashed commit, and tests the stable branch. */
  #testMain(at: number, change: Change | null): void {
    const before = this.#main;
    if (change) {
      const headSha = sha(`${before.sha} ${change.pr}`);
      this.#main = { sha: headSha, tree: sha(`tree ${headSha}`), tests: withChange(before.tests, change) };
    }
    const { sha: headSha, tree: treeSha, tests } = this.#main;
    const baseSha = change ? before.sha : null;
    this.#test(at, { kind: "stable", pr: null, branch: "main", headSha, treeSha, baseSha, tests });
  }

  #test(at: number, run: Run): void {
    this.#runs += 1;
    const runId = String(this.#runs);
    const { shards, moving } = this.#world;
    for (const test of run.tests)
      if (!this.#shardOf.has(test) || this.#random() < moving) this.#shardOf.set(test, this.#below(shards));
    const parts = Array.from({ length: shards }, (_, shard) => ({
      shard,
      tests: [...run.tests].filter((test) => this.#shardOf.get(test) === shard),
    }));
    for (const { shard, tests } of parts)
      this.#testShard(at + 5 * minute * this.#random(), run, { runId, shard, tests }, 1);
  }

  #testShard(
    at: number,
    run: Run,
    part: { readonly runId: string; readonly shard: number; readonly tests: readonly string[] },
    runAttempt: number,
  ): void {
    const { shards, lost } = this.#world;
    const { runId, shard } = part;
    const isLost = this.#random() < lost;
    const gone = `suite ${this.#below(suites)} `;
    const tests = isLost ? part.tests.filter((test) => !test.startsWith(gone)) : part.tests;
    const flaky = tests.filter((test) => flakyTests.includes(test));
    const failed = flaky.filter((_, index) => this.#random() < flakyRate || (isLost && index === 0));
    const { tests: _, ...said } = run;
    const job = shards === 1 ? "test" : `test (${shard + 1})`;
    const variant = shards === 1 ? "Linux" : `Linux, shard=${shard + 1}`;
    this.#uploads.push({ ...said, at, runId, runAttempt, job, variant, tests, failed, isLost });
    if (failed.length > 0 && runAttempt < mostAttempts && this.#random() < 0.8)
      this.#testShard(at + 20 * minute, run, part, runAttempt + 1);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

function withChange(tests: ReadonlySet<string>, { adds, deletes }: Change): ReadonlySet<string> {
  return new Set([...tests, ...adds]).difference(new Set(deletes));
}

function sha(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
