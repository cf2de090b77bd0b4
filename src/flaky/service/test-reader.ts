import { randomBytes } from "node:crypto";
import { evaluateChecks } from "../../engine/model/checks/required-checks.ts";
import { currentChecks } from "../../engine/model/checks/run-checks.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { type TestRun, testedSha } from "../../engine/model/test-run.ts";
import { accepted, type Outcome, refused } from "../../service/runtime/outcome.ts";
import { orderByHarm } from "../quarantine/decide-quarantine.ts";
import type {
  CommitReport,
  FoundTest,
  ListedTest,
  TestDetails,
  TestList,
  TestSearch,
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
  /** Those that are not known as flaky first. */
  readonly tests: readonly { readonly name: string; readonly isKnownFlaky: boolean }[];
  /** Checks failed, and the reports blame nothing but known flaky tests for each of them. */
  readonly areKnownFlakes: boolean;
}

/** The result of a search. */
export interface FoundTests {
  readonly tests: readonly FoundTest[];
  /** There are more tests than returned. */
  readonly isCut: boolean;
}

/** The maximum number of tests whose harm is compared. The runs of each are read. */
const mostCompared = 1_000;
/** The maximum number of tests in one response. */
const mostFound = 100;

/** Reads the tests of a repository. */
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
   * Returns the matching tests, by what they cost: the number of pull requests in which they failed, then the lower bound of their
   * failure rate, highest first. If more
   * match than can be compared, only the latest known are compared.
   */
  async search(repo: RepositoryRef, search: TestSearch): Promise<FoundTests> {
    const { stores, clock } = this.#context;
    const found = await stores.testReads.search(repo, search, mostCompared, clock.now());
    const ordered = orderByHarm(found.map((test) => ({ test, ...test.lastWeek })));
    const tests = ordered
      .map(({ test }) => test)
      .sort((a, b) => b.pullRequestsImpacted - a.pullRequestsImpacted);
    return { tests: tests.slice(0, mostFound), isCut: found.length > mostFound };
  }

  /** The reports on a commit, oldest first. They do not tell which tests are new. */
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

  async details(repo: RepositoryRef, id: string): Promise<Outcome<TestDetails>> {
    const { stores, clock } = this.#context;
    const test = await stores.testReads.details(repo, id, clock.now());
    return test ? accepted(test) : refused({ code: "TEST_NOT_FOUND", id });
  }

  #obtainKey(): Promise<Uint8Array> {
    this.#key ??= this.#context.keys.obtain("page-tokens", randomBytes(32)).catch((error: unknown) => {
      this.#key = null;
      throw error;
    });
    return this.#key;
  }
}

function scopeOf({ host, owner, name }: RepositoryRef, list: TestList, pageSize: number): PageScope {
  return {
    list: Object.values(list).map((one: string | number | null) => one ?? ""),
    organisation: owner,
    repository: `${host}/${owner}/${name}`,
    pageSize,
  };
}
