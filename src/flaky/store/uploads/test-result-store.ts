import { setImmediate as nextRound } from "node:timers/promises";
import { sql } from "kysely";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { repoColumns, repoKey } from "../../../store/queue/repo-key.ts";
import type { Writes } from "../../../store/sqlite/group-commit.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import type { RunPlace } from "../../detection/flaky-failures.ts";
import type { MissingTests } from "../../quarantine/judge-upload.ts";
import { detectionSettingsOf } from "../../test-settings.ts";
import { KnownTests, SeenTests } from "../identities/known-tests.ts";
import type { NewTests } from "../identities/new-tests.ts";
import { type NumberedResult, packResults } from "../packing/packed-results.ts";
import { readHeldQuarantines } from "../quarantines/held-quarantines.ts";
import { settingsOf } from "../quarantines/test-settings-store.ts";
import {
  countResult,
  insertUpload,
  judgeAgain,
  noResults,
  type ResultTotals,
  recordFailures,
  timeOfTests,
} from "./insert-upload.ts";
import { keepReports } from "./late-result-store.ts";
import { findMissingTests } from "./missing-tests.ts";
import type { SearchedUpload } from "./reference-uploads.ts";
import type {
  HeldQuarantine,
  NamedTest,
  NewTestUpload,
  TestNumbers,
  TestRepository,
  TestResult,
} from "./upload-records.ts";

/** The number of results to process before other work runs. */
const atATime = 2_000;

/** The number of recent uploads of stable branches from which the main one is determined. */
const recentOnStable = 100;

export class TestResultStore extends SqlStore {
  readonly #known: KnownTests;
  readonly #seen = new SeenTests();

  constructor(db: Database, writes: Writes, newTests: NewTests) {
    super(db, writes);
    this.#known = new KnownTests(db, writes, newTests);
  }

  /** Null when no tests of it are known. */
  async repository(repo: RepositoryRef): Promise<TestRepository | null> {
    return await findRepository(this.db, repo);
  }

  /** Returns the repository, and adds it if it is not known. */
  async addRepository(repo: RepositoryRef): Promise<TestRepository> {
    return await this.writes.run(async (tx) => {
      await tx
        .insertInto("test_repositories")
        .values(repoColumns(repo))
        .onConflict((known) => known.column("repo_key").doNothing())
        .execute();
      const found = await findRepository(tx, repo);
      if (!found) throw new Error(`${repoKey(repo)} was added and is not there`);
      return found;
    });
  }

  /**
   * How many tests failed at first, for each of up to `limit` earlier uploads that had such failures and were
   * not suspect, newest first.
   */
  async recentFailures(repositoryId: number, limit: number): Promise<readonly number[]> {
    const recent = await this.db
      .selectFrom("test_uploads")
      .select("failed_at_first")
      .where("repo_id", "=", repositoryId)
      .where((upload) => upload("failed_at_first", ">", upload.lit(0)))
      .where((upload) => upload("is_suspect", "=", upload.lit(0)))
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return recent.map(({ failed_at_first }) => failed_at_first);
  }

  /** The tests that an upload should contain but lacks; null when none is missing. */
  async missingTests(searched: SearchedUpload): Promise<MissingTests | null> {
    return await findMissingTests(this.db, this.#known, searched);
  }

  /** Returns the tests, of these ids, whose failures are forgiven in a run, by id. */
  async quarantined(
    repositoryId: number,
    ids: readonly string[],
    place: RunPlace,
  ): Promise<ReadonlyMap<string, HeldQuarantine>> {
    return await readHeldQuarantines(this.db, repositoryId, ids, place);
  }

  /** The stable branch with the most recent uploads by number; null when there is none. */
  async mainLine(repositoryId: number): Promise<string | null> {
    const rows = await this.db
      .selectFrom("test_uploads")
      .select("branch")
      .where("repo_id", "=", repositoryId)
      .where("kind", "=", sql.lit("stable"))
      .orderBy("id", "desc")
      .limit(recentOnStable)
      .execute();
    const counts = new Map<string, number>();
    for (const { branch } of rows) counts.set(branch, (counts.get(branch) ?? 0) + 1);
    const [most] = [...counts].sort(([, a], [, b]) => b - a);
    return most?.[0] ?? null;
  }

  /**
   * Numbers of tests of a repository that need not be passed to `know` at a time. An incomplete, cheap cache
   * lookup.
   */
  seen(repositoryId: number, at: number): ReadonlyMap<string, number> {
    return this.#seen.today(repositoryId, at);
  }

  /** Returns the ids that belong to known tests of a repository. */
  async known(repositoryId: number, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const some of inBatches(ids, atATime))
      for (const [id] of await this.#known.numbersOf(repositoryId, some)) found.add(id);
    return found;
  }

  /** Adds unknown tests, in several short transactions, and returns the numbers of all. Can be repeated. */
  async know(repositoryId: number, tests: Iterable<NamedTest>, at: number): Promise<TestNumbers> {
    const numbers = await this.#known.know(repositoryId, tests, at);
    // Adding the tests one by one would take as long as numbering them.
    if (this.#seen.adopt(repositoryId, at, numbers)) return numbers;
    for (const some of inBatches(numbers, atATime)) {
      for (const [id, sk] of some) this.#seen.add(repositoryId, at, id, sk);
      if (some.length === atATime) await nextRound();
    }
    return numbers;
  }

  /**
   * Stores an upload with its results and failures, in one transaction. Returns its id, or the existing id when it is stored already. In
   * that case only its verdict is replaced, because the job acts on the newest verdict.
   *
   * @throws Error when one of its tests is not known
   */
  async record(repositoryId: number, upload: NewTestUpload): Promise<{ id: number; isNew: boolean }> {
    const numbers = await this.#numbersOf(repositoryId, upload);
    const totals = noResults();
    const packed = await packResults(numbered(upload.results, numbers, totals));
    const { late } = upload;
    const { outcomes } = totals;
    const testsMs = late ? null : timeOfTests(totals);
    outcomes.passed += late?.passed ?? 0;
    return await this.writes.run(async (tx) => {
      const id = await insertUpload(tx, repositoryId, upload, { ...outcomes, results: packed });
      if (id === null) return { id: await judgeAgain(tx, repositoryId, upload), isNew: false };
      await recordFailures(tx, { repositoryId, id, upload, numbers, testsMs });
      if (late) await keepReports(tx, id, late);
      return { id, isNew: true };
    });
  }

  /** The numbers of an upload's tests that have none in the upload, because they were added just before. */
  async #numbersOf(repositoryId: number, { results, failures, at }: NewTestUpload): Promise<TestNumbers> {
    const seen = this.#seen.today(repositoryId, at);
    const failed = new Set(failures.map(({ id }) => id));
    const numbers = new Map<string, number>();
    const unseen: string[] = [];
    for (const some of inBatches(results, atATime)) {
      for (const { id, sk = seen.get(id) } of some) {
        if (sk === undefined) unseen.push(id);
        else if (failed.has(id)) numbers.set(id, sk);
      }
      if (some.length === atATime) await nextRound();
    }
    for (const some of inBatches(unseen, atATime)) {
      const found = await this.#known.numbersOf(repositoryId, some);
      for (const [id, sk] of found) {
        numbers.set(id, sk);
        this.#seen.add(repositoryId, at, id, sk);
      }
    }
    return { get: (id) => numbers.get(id) ?? seen.get(id) };
  }
}

/** Counts during iteration, because two hundred thousand results take a while. */
function* numbered(
  results: Iterable<TestResult>,
  numbers: TestNumbers,
  totals: ResultTotals,
): Generator<NumberedResult> {
  for (const result of results) {
    const { id, sk = numbers.get(id) } = result;
    if (sk === undefined) throw new Error(`test ${id} is not known`);
    countResult(totals, result);
    yield isNumbered(result) ? result : { ...result, sk };
  }
}

function isNumbered(result: TestResult): result is TestResult & NumberedResult {
  return result.sk !== undefined;
}

async function findRepository(db: Database | Tx, repo: RepositoryRef): Promise<TestRepository | null> {
  const row = await db
    .selectFrom("test_repositories")
    .select(["id", "host", "owner", "name", "quarantining", "settings"])
    .where("repo_key", "=", repoKey(repo))
    .executeTakeFirst();
  if (!row) return null;
  const { id, host, owner, name, quarantining } = row;
  const detection = detectionSettingsOf(settingsOf(row));
  return { id, repo: { host, owner, name }, quarantining: quarantining === 1, detection };
}
