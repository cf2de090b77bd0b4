import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { parseStored } from "../../../store/queries/corrupt-row.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import { repoKey } from "../../../store/queue/repo-key.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { FailingTests, numbersFrom } from "../history/failing-tests.ts";
import { allNumbers, formerName } from "../history/renames.ts";
import type { NewTests } from "../identities/new-tests.ts";
import { reasonOf } from "../identities/test-cases.ts";
import { idOf, numbersOf } from "../identities/test-ids.ts";
import {
  classColumn,
  fileColumn,
  parentColumn,
  type Suite,
  selectTests,
  withSuites,
} from "../identities/test-suites.ts";
import type { TestCaseTable } from "../test-schema.ts";
import { commitReports } from "../uploads/commit-reports.ts";
import { failedBefore, type TestedThings } from "./failed-before.ts";
import { type RecentFailures, recentFailures } from "./recent-failures.ts";
import { changesOf, commonFailures, countPullRequests, countRuns, runsOfWeek } from "./test-evidence.ts";
import { afterOrBefore, type Match, searchTests, testsOf, timeColumnOf } from "./test-lists.ts";
import type {
  CommitReport,
  ListedTest,
  Place,
  RunCounts,
  TestDetails,
  TestList,
  TestSearch,
  TestStory,
} from "./test-records.ts";
import { readStory } from "./test-story.ts";

const columns = [
  "sk",
  "id",
  "name",
  parentColumn,
  fileColumn,
  classColumn,
  "variant",
  "codeowners",
  "status",
  "status_reason",
  "status_at",
  "quarantine_mode",
  "quarantined",
  "quarantined_at",
  "quarantine_expires_at",
] as const;

type TestRow = Omit<Pick<TestCaseTable, Extract<(typeof columns)[number], string>>, "sk"> & Suite;

/** Queries about tests. A repository without uploads has none. */
export class TestReads {
  readonly #db: Database;
  readonly #failing: FailingTests;
  readonly #newTests: NewTests;

  constructor(db: Database, newTests: NewTests) {
    this.#db = db;
    this.#newTests = newTests;
    this.#failing = new FailingTests(db);
  }

  /**
   * Tests of a list, newest first; on equal times, larger keys first. `after` returns the tests after a
   * place. `before` returns the tests before it, nearest first. A null place means the start (`after`) or the
   * end (`before`) of the list. `now` decides which quarantines are in force.
   */
  async list(
    repo: RepositoryRef,
    list: TestList,
    {
      direction,
      place,
      limit,
    }: { readonly direction: "after" | "before"; readonly place: Place | null; readonly limit: number },
    now: number,
  ): Promise<readonly ListedTest[]> {
    const known = await this.#find(repo);
    if (!known) return [];
    if (list.kind === "failing") {
      await this.#newTests.insertAll();
      const numbers = await this.#failing.numbers(known.id, list, now);
      const wanted = numbersFrom(numbers, direction, place, limit);
      return await this.#named(wanted, known.quarantining === 1, now);
    }
    let tests = withSuites(testsOf(this.#db, known.id, list, now)).select(columns);
    if (place) tests = tests.where(afterOrBefore(list, direction, place));
    const order = direction === "after" ? "desc" : "asc";
    const column = timeColumnOf(list);
    const rows = await tests.orderBy(column, order).orderBy("sk", order).limit(limit).execute();
    return rows.map((row) => ({
      ...listed(row, known.quarantining === 1, now),
      at: row[column] ?? 0,
      key: row.sk,
    }));
  }

  /** Tests in the order of the given numbers. */
  async #named(
    numbers: readonly number[],
    quarantining: boolean,
    now: number,
  ): Promise<readonly ListedTest[]> {
    if (numbers.length === 0) return [];
    const rows = await selectTests(this.#db).select(columns).where("sk", "in", numbers).execute();
    const bySk = new Map(rows.map((row) => [row.sk, row]));
    return numbers.flatMap((key) => {
      const row = bySk.get(key);
      return row ? [{ ...listed(row, quarantining, now), at: 0, key }] : [];
    });
  }

  /** The number of tests in a list, or of those before a place. */
  async count(repo: RepositoryRef, list: TestList, before: Place | null, now: number): Promise<number> {
    const known = await this.#find(repo);
    if (!known) return 0;
    if (list.kind === "failing") {
      await this.#newTests.insertAll();
      const numbers = await this.#failing.numbers(known.id, list, now);
      return numbers.countAbove(before?.key ?? -1);
    }
    let tests = testsOf(this.#db, known.id, list, now);
    if (before) tests = tests.where(afterOrBefore(list, "before", before));
    const { count } = await tests
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** At most `limit` tests that match a search, and the repository's recent failures, which come first. Null when it has sent no report. */
  async search(
    repo: RepositoryRef,
    search: TestSearch,
    limit: number,
    now: number,
  ): Promise<{ readonly matches: readonly Match[]; readonly failures: RecentFailures } | null> {
    const known = await this.#find(repo);
    if (!known) return null;
    if (search.state === "any") await this.#newTests.insertAll();
    const failures = await recentFailures(this.#db, known.id, now);
    const byTest = [...Map.groupBy(failures.runs, ({ sk }) => sk)];
    const failing = byTest.sort(([, a], [, b]) => b.length - a.length).map(([sk]) => sk);
    return { matches: await searchTests(this.#db, known.id, search, { limit, now, failing }), failures };
  }

  /** Tests by number. Those that no longer exist are left out. */
  async named(
    repo: RepositoryRef,
    sks: readonly number[],
    now: number,
  ): Promise<ReadonlyMap<number, ListedTest>> {
    const isQuarantining = (await this.#find(repo))?.quarantining === 1;
    const found = new Map<number, ListedTest>();
    for (const chunk of inChunks(sks))
      for (const test of await this.#named([...new Set(chunk)], isQuarantining, now))
        found.set(test.key, test);
    return found;
  }

  /** How often tests ran and failed in the last seven days, by number. */
  async runsOfWeek(sks: readonly number[], now: number): Promise<ReadonlyMap<number, RunCounts>> {
    return await runsOfWeek(this.#db, sks, now);
  }

  /** The reports on a commit, oldest first. `findsNew` false: no test is marked as new, so that other reports need not be read. */
  async reportsOn(
    repo: RepositoryRef,
    headSha: string,
    now: number,
    findsNew = true,
  ): Promise<readonly CommitReport[]> {
    const known = await this.#find(repo);
    if (!known) return [];
    await this.#newTests.insertAll();
    return await commitReports(this.#db, known, headSha, now, findsNew);
  }

  /** Null when the repository has no such test. */
  async details(repo: RepositoryRef, id: string, now: number): Promise<TestDetails | null> {
    const known = await this.#find(repo);
    if (!known) return null;
    await this.#newTests.insertAll();
    const test = await selectTests(this.#db)
      .select([...columns, "history", "ticket_url", "first_seen_at", "last_seen_at"])
      .where("sk", "in", numbersOf(this.#db, known.id, [id.toLowerCase()]))
      .executeTakeFirst();
    if (!test) return null;
    const { sk, history } = test;
    const sks = await allNumbers(this.#db, sk);
    const { host, owner, name } = known;
    return {
      sk,
      ...listed(test, known.quarantining === 1, now),
      repo: { host, owner, name },
      ticketUrl: test.ticket_url,
      renamedFrom: await formerName(this.#db, sk),
      firstSeenAt: test.first_seen_at,
      lastSeenAt: test.last_seen_at,
      changes: changesOf(history, `test ${id}`),
      ...(await countRuns(this.#db, sks, now)),
      commonFailures: await commonFailures(this.#db, sks, now),
      pullRequestsImpacted: await countPullRequests(this.#db, sks, now),
    };
  }

  /** The tests that failed on pull requests or commits within 14 days, the last that failed first; at most `limit`. */
  async failedBefore(
    repo: RepositoryRef,
    tested: TestedThings,
    limit: number,
    now: number,
  ): Promise<readonly (ListedTest & { readonly failedRuns: number; readonly lastFailedAt: number })[]> {
    const known = await this.#find(repo);
    if (!known || tested.prs.length + tested.shas.length === 0) return [];
    await this.#newTests.insertAll();
    const failed = (await failedBefore(this.#db, known.id, tested, now)).slice(0, limit);
    const byNumber = new Map(failed.map((one) => [one.sk, one]));
    const tests = await this.#named([...byNumber.keys()], known.quarantining === 1, now);
    return tests.map((test) => ({
      ...test,
      failedRuns: byNumber.get(test.key)?.runs ?? 0,
      lastFailedAt: byNumber.get(test.key)?.lastAt ?? 0,
    }));
  }

  /** The failed runs of the repository's tests in 14 days; with `sk`, only those of this test under all its names. */
  async recentFailures(repo: RepositoryRef, now: number, sk: number | null = null): Promise<RecentFailures> {
    const known = await this.#find(repo);
    const only = sk === null ? null : await allNumbers(this.#db, sk);
    return known ? await recentFailures(this.#db, known.id, now, only) : { runs: [], since: now };
  }

  /** What happened to a test in 30 days, with the evidence for and against its being flaky; null when the repository has no such test. */
  async story(repo: RepositoryRef, id: string, now: number): Promise<TestStory | null> {
    const known = await this.#find(repo);
    if (!known) return null;
    return await readStory(this.#db, known, id, now);
  }

  async #find(repo: RepositoryRef) {
    return await this.#db
      .selectFrom("test_repositories")
      .select(["id", "quarantining", "settings", "host", "owner", "name"])
      .where("repo_key", "=", repoKey(repo))
      .executeTakeFirst();
  }
}

function listed(row: TestRow, quarantining: boolean, now: number): Omit<ListedTest, keyof Place> {
  const { name, parent, file, classname, variant } = row;
  const id = idOf(row.id);
  const isQuarantined = quarantining && row.quarantined === 1 && (row.quarantine_expires_at ?? 0) > now;
  return {
    ...{ id, name, parent, file, classname, variant },
    codeowners:
      row.codeowners === null ? [] : parseStored<readonly string[]>(row.codeowners, `owners of ${id}`),
    status: {
      status: row.status,
      at: row.status_at,
      reason: reasonOf(row.status_reason, `status of ${id}`),
    },
    mode: row.quarantine_mode,
    quarantinedAt: isQuarantined ? row.quarantined_at : null,
  };
}
