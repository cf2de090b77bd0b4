import { randomBytes } from "node:crypto";
import { evaluateChecks } from "../../engine/model/checks/required-checks.ts";
import { currentChecks } from "../../engine/model/checks/run-checks.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { type TestRun, testedSha } from "../../engine/model/test-run.ts";
import { accepted, type Outcome, refused } from "../../service/runtime/outcome.ts";
import { groupByCause } from "../failure/common-causes.ts";
import { compareCosts, costOf, type FailedRun, type TestCost } from "../failure/test-cost.ts";
import type {
  CommitReport,
  ListedTest,
  RunCounts,
  TestDetails,
  TestList,
  TestSearch,
  TestStory,
} from "../store/reads/test-records.ts";
import { explainChecks, latestOf } from "./explain-checks.ts";
import {
  type Page,
  type PageScope,
  type PageStart,
  parsePageToken,
  readPage,
  renderPageToken,
} from "./read-page.ts";
import type { TestAddresses, TestContext } from "./test-context.ts";

export interface PageQuery {
  readonly repo: RepositoryRef;
  readonly list: TestList;
  readonly size: number;
  /** A token from another page of the list; "" means the first page. */
  readonly token: string;
}

/** A page of tests. A token is "" when there is no such page. */
export interface TestPage extends Omit<Page<ListedTest>, "next" | "previous" | "last"> {
  readonly next: string;
  readonly previous: string;
  readonly last: string;
}

/** What the reports say about a test run of the queue. */
export interface RunFailures {
  /** Tests that are not known to be flaky come first. */
  readonly tests: readonly { readonly name: string; readonly isKnownFlaky: boolean }[];
  /** Whether checks failed, and for each of them the reports show only failures of known flaky tests. */
  readonly areKnownFlakes: boolean;
}

/** Tests that fail together, or one test, and the cost. */
export interface Cause {
  /** The first few of `size` tests, at least one. */
  readonly tests: readonly ListedTest[];
  readonly size: number;
  readonly cost: TestCost;
  /** Of a single test; null for several tests. */
  readonly lastWeek: RunCounts | null;
}

/** A page of a search. */
export interface FoundTests {
  readonly causes: readonly Cause[];
  /** The number of matching tests that were compared. */
  readonly tests: number;
  /** Whether more tests match than are compared. */
  readonly isCut: boolean;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  /** Since when failures count; later than 14 days ago if there are too many. */
  readonly since: number;
}

/** A test, what happened to it, and its cost. */
export interface TestWithStory {
  readonly test: TestDetails;
  readonly story: TestStory;
  readonly cost: TestCost;
  /** Other tests that fail in the same runs. `size`: their number. */
  readonly together: { readonly tests: readonly ListedTest[]; readonly size: number };
}

export type CauseOrder = "cost" | "newest";

/** The maximum number of matching tests that are sorted. */
const mostCompared = 1_000;
const causesOnPage = 50;
const mostFailedBefore = 200;
/** The number of tests of a cause that are named. */
const namedOfCause = 10;

export class TestReader {
  readonly #context: TestContext;
  #key: Promise<Uint8Array> | null = null;

  constructor(context: TestContext) {
    this.#context = context;
  }

  get addresses(): TestAddresses {
    return this.#context.addresses;
  }

  async page({ repo, list, size, token }: PageQuery): Promise<Outcome<TestPage>> {
    const { stores, clock } = this.#context;
    const key = await this.#obtainKey();
    const scope = scopeOf(repo, list, size);
    const start: PageStart | null = token === "" ? { kind: "first" } : parsePageToken(token, scope, key);
    if (!start) return refused({ code: "PAGE_TOKEN_NOT_VALID" });
    const now = clock.now();
    const page = await readPage(
      {
        read: (direction, place, limit) =>
          stores.testReads.list(repo, list, { direction, place, limit }, now),
        count: (before) => stores.testReads.count(repo, list, before, now),
      },
      start,
      size,
    );
    const render = (to: PageStart | null) => (to ? renderPageToken(to, scope, key) : "");
    return accepted({
      ...page,
      next: render(page.next),
      previous: render(page.previous),
      last: render(page.last),
    });
  }

  /**
   * Returns the matching tests, those that fail together as one cause, by cost or by the time of their status. Null when the repository has
   * sent no report.
   */
  async search(
    repo: RepositoryRef,
    search: TestSearch,
    { order, page }: { readonly order: CauseOrder; readonly page: number },
  ): Promise<FoundTests | null> {
    const { testReads } = this.#context.stores;
    const now = this.#context.clock.now();
    const found = await testReads.search(repo, search, mostCompared + 1, now);
    if (found === null) return null;
    const matches = found.matches.slice(0, mostCompared);
    const runsOf = Map.groupBy(found.failures.runs, ({ sk }) => sk);
    const since = new Map(matches.map(({ sk, at }) => [sk, at]));
    const groups = groupByCause(new Map(matches.map(({ sk }) => [sk, uploadsOf(runsOf.get(sk))])));
    const causes = groups.map((sks) => ({
      sks,
      cost: costOf(
        sks.flatMap((sk) => runsOf.get(sk) ?? []),
        now,
      ),
      at: Math.max(...sks.map((sk) => since.get(sk) ?? 0)),
    }));
    causes.sort((a, b) => (order === "newest" ? 0 : compareCosts(a.cost, b.cost)) || b.at - a.at);
    const pages = Math.max(1, Math.ceil(causes.length / causesOnPage));
    const shown = causes.slice((page - 1) * causesOnPage, page * causesOnPage);
    const named = await testReads.named(
      repo,
      shown.flatMap(({ sks }) => sks.slice(0, namedOfCause)),
      now,
    );
    const single = shown.flatMap(({ sks }) => (sks.length === 1 ? sks : []));
    const runs = await testReads.runsOfWeek(single, now);
    return {
      causes: shown.flatMap(({ sks, cost }) => {
        const tests = sks.slice(0, namedOfCause).flatMap((sk) => named.get(sk) ?? []);
        const lastWeek = sks.length === 1 ? (runs.get(sks[0] ?? 0) ?? null) : null;
        return tests.length === 0 ? [] : [{ tests, size: sks.length, cost, lastWeek }];
      }),
      tests: matches.length,
      isCut: found.matches.length > mostCompared,
      ...{ page, pages, since: found.failures.since },
    };
  }

  /** Returns what happened to a test, its cost, and the tests that fail together with it. */
  async story(repo: RepositoryRef, id: string): Promise<TestWithStory | null> {
    const { testReads } = this.#context.stores;
    const now = this.#context.clock.now();
    const [test, story] = [await testReads.details(repo, id, now), await testReads.story(repo, id, now)];
    if (!test || !story) return null;
    const { runs } = await testReads.recentFailures(repo, now);
    const runsOf = Map.groupBy(runs, ({ sk }) => sk);
    const groups = groupByCause(new Map([...runsOf].map(([sk, all]) => [sk, uploadsOf(all)])));
    const others = groups.find((group) => group.includes(test.sk))?.filter((sk) => sk !== test.sk) ?? [];
    const named = await testReads.named(repo, others.slice(0, namedOfCause), now);
    return {
      ...{ test, story, cost: await this.#costOf(test, now) },
      together: { tests: [...named.values()], size: others.length },
    };
  }

  /** The reports on a commit, oldest first, without the information which tests are new. */
  async reportsOn(repo: RepositoryRef, sha: string): Promise<readonly CommitReport[]> {
    const { stores, clock } = this.#context;
    return stores.testReads.reportsOn(repo, sha, clock.now(), false);
  }

  /** Which tests failed in a test run of the queue, by the reports on its commit. */
  async failuresIn(repo: RepositoryRef, run: TestRun | undefined): Promise<RunFailures> {
    const sha = run ? testedSha(run) : null;
    if (!run || sha === null) return { tests: [], areKnownFlakes: false };
    const reports = latestOf(await this.reportsOn(repo, sha));
    const checks = currentChecks(run, run.checks);
    const { failed } = evaluateChecks(run.required, checks);
    const { flaky } = explainChecks(run.required, checks, reports, run.retried?.attempt ?? 0);
    const tests = new Map(reports.flatMap(({ failed }) => failed.map((test) => [test.name, test] as const)));
    return {
      tests: [...tests.values()].sort((a, b) => Number(a.isKnownFlaky) - Number(b.isKnownFlaky)),
      areKnownFlakes:
        failed.length > 0 && failed.every(({ name }) => flaky.some((check) => check.name === name)),
    };
  }

  /**
   * The tests that failed before on the pull requests of a run: in reports on them, in runs of the queue that tested them, and in this run
   * before its checks were re-run. The last failures come first.
   *
   * @param runs earlier runs that tested some of its pull requests, and the run itself
   */
  async failedBefore(repo: RepositoryRef, prs: readonly number[], runs: readonly TestRun[]) {
    const { stores, clock } = this.#context;
    const shas = [...new Set(runs.flatMap((run) => testedSha(run) ?? []))];
    return stores.testReads.failedBefore(repo, { prs, shas }, mostFailedBefore, clock.now());
  }

  async details(repo: RepositoryRef, id: string): Promise<Outcome<Pick<TestWithStory, "test" | "cost">>> {
    const { testReads } = this.#context.stores;
    const now = this.#context.clock.now();
    const test = await testReads.details(repo, id, now);
    if (!test) return refused({ code: "TEST_NOT_FOUND", id });
    return accepted({ test, cost: await this.#costOf(test, now) });
  }

  async #costOf({ repo, sk }: TestDetails, now: number): Promise<TestCost> {
    return costOf((await this.#context.stores.testReads.recentFailures(repo, now, sk)).runs, now);
  }

  #obtainKey(): Promise<Uint8Array> {
    this.#key ??= this.#context.keys.obtain("page-tokens", randomBytes(32)).catch((error: unknown) => {
      this.#key = null;
      throw error;
    });
    return this.#key;
  }
}

function uploadsOf(runs: readonly FailedRun[] = []): ReadonlySet<number> {
  return new Set(runs.map(({ upload }) => upload));
}

function scopeOf({ host, owner, name }: RepositoryRef, list: TestList, pageSize: number): PageScope {
  return {
    list: Object.values(list).map((one: string | number | null) => one ?? ""),
    organisation: owner,
    repository: `${host}/${owner}/${name}`,
    pageSize,
  };
}
