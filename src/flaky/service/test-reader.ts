import { randomBytes } from "node:crypto";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { SealedKeys } from "../../service/access/secret-seal.ts";
import { accepted, type Outcome, refused } from "../../service/runtime/outcome.ts";
import { orderByHarm } from "../quarantine/order-by-harm.ts";
import type {
  FoundTest,
  ListedTest,
  TestDetails,
  TestList,
  TestSearch,
} from "../store/reads/stored-test-reads.ts";
import type { TestReads } from "../store/reads/test-reads.ts";
import { type PageScope, parsePageToken, renderPageToken, type Turn } from "./page-token.ts";
import { type Page, turnPage } from "./turn-pages.ts";

/** The pages where people look at tests. */
export interface TestAddresses {
  /** The page of a test. */
  readonly test: (repo: RepositoryRef, id: string) => string;
  /** The repository's page at the code host. */
  readonly repository: (repo: RepositoryRef) => string;
}

export interface TestReaderParts {
  readonly tests: TestReads;
  readonly keys: Pick<SealedKeys, "obtain">;
  readonly clock: Clock;
  readonly addresses: TestAddresses;
}

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
  readonly #parts: TestReaderParts;
  #key: Promise<Uint8Array> | null = null;

  constructor(parts: TestReaderParts) {
    this.#parts = parts;
  }

  get addresses(): TestAddresses {
    return this.#parts.addresses;
  }

  async page({ repo, list, size, token }: PageQuery): Promise<Outcome<TestPage>> {
    const { tests, clock } = this.#parts;
    const key = await this.#obtainKey();
    const scope = scopeOf(repo, list, size);
    const turn: Turn | null = token === "" ? { kind: "first" } : parsePageToken(token, scope, key);
    if (!turn) return refused({ code: "PAGE_TOKEN_NOT_VALID" });
    const now = clock.now();
    const page = await turnPage(
      {
        read: (direction, place, limit) => tests.list(repo, list, { direction, place, limit }, now),
        count: (before) => tests.count(repo, list, before, now),
      },
      turn,
      size,
    );
    const render = (to: Turn | null) => (to ? renderPageToken(to, scope, key) : "");
    return accepted({
      ...page,
      next: render(page.next),
      previous: render(page.previous),
      last: render(page.last),
    });
  }

  /**
   * Returns the matching tests, ordered by the lower bound of their failure rate, highest first. If more
   * match than can be compared, only the latest known are compared.
   */
  async search(repo: RepositoryRef, search: TestSearch): Promise<FoundTests> {
    const { tests, clock } = this.#parts;
    const found = await tests.search(repo, search, mostCompared, clock.now());
    const ordered = orderByHarm(found.map((test) => ({ test, ...test.lastWeek })));
    return { tests: ordered.slice(0, mostFound).map(({ test }) => test), isCut: found.length > mostFound };
  }

  async details(repo: RepositoryRef, id: string): Promise<Outcome<TestDetails>> {
    const { tests, clock } = this.#parts;
    const test = await tests.details(repo, id, clock.now());
    return test ? accepted(test) : refused({ code: "TEST_NOT_FOUND", id });
  }

  #obtainKey(): Promise<Uint8Array> {
    this.#key ??= this.#parts.keys.obtain("page-tokens", randomBytes(32)).catch((error: unknown) => {
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
