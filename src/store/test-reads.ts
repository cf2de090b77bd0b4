import type { RepositoryRef } from "../engine/queue.ts";
import type { StatusReason } from "../flaky/detection/status.ts";
import type {
  CommitReport,
  ListedTest,
  Place,
  TestDetails,
  TestList,
  TestReads,
} from "../ports/test-reads.ts";
import { commitReports } from "./commit-reports.ts";
import { parseStored } from "./corrupt-row.ts";
import { repoKey } from "./repo-key.ts";
import type { Database } from "./schema.ts";
import { changesOf, commonFailures, countPullRequests, countRuns } from "./test-evidence.ts";
import { standing, testsOf, timeColumnOf } from "./test-lists.ts";
import type { TestCaseTable } from "./test-schema.ts";

const columns = [
  "sk",
  "id",
  "name",
  "parent",
  "file",
  "classname",
  "variant",
  "codeowners",
  "status",
  "status_reason",
  "status_at",
  "quarantined",
  "quarantined_at",
  "quarantine_expires_at",
] as const;

type TestRow = Omit<Pick<TestCaseTable, (typeof columns)[number]>, "sk">;

export class SqlTestReads implements TestReads {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async list(
    repo: RepositoryRef,
    list: TestList,
    { direction, place, limit }: Parameters<TestReads["list"]>[2],
    now: number,
  ): Promise<readonly ListedTest[]> {
    const known = await this.#find(repo);
    if (!known) return [];
    let tests = testsOf(this.#db, known.id, list, now).select(columns);
    if (place) tests = tests.where(standing(list, direction, place));
    const order = direction === "after" ? "desc" : "asc";
    const column = timeColumnOf(list);
    if (column) tests = tests.orderBy(column, order);
    const rows = await tests.orderBy("sk", order).limit(limit).execute();
    return rows.map((row) => ({
      ...listed(row, known.quarantining === 1, now),
      at: (column && row[column]) ?? 0,
      key: row.sk,
    }));
  }

  async count(repo: RepositoryRef, list: TestList, before: Place | null, now: number): Promise<number> {
    const known = await this.#find(repo);
    if (!known) return 0;
    let tests = testsOf(this.#db, known.id, list, now);
    if (before) tests = tests.where(standing(list, "before", before));
    const { count } = await tests
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async reportsOn(repo: RepositoryRef, headSha: string, now: number): Promise<readonly CommitReport[]> {
    const known = await this.#find(repo);
    return known ? await commitReports(this.#db, known, headSha, now) : [];
  }

  async details(repo: RepositoryRef, id: string, now: number): Promise<TestDetails | null> {
    const known = await this.#find(repo);
    if (!known) return null;
    const test = await this.#db
      .selectFrom("test_cases")
      .select([...columns, "history", "quarantine_mode", "ticket_url", "first_seen_at", "last_seen_at"])
      .where("repo_id", "=", known.id)
      .where("id", "=", id.toLowerCase())
      .executeTakeFirst();
    if (!test) return null;
    const { sk, history } = test;
    const { host, owner, name } = known;
    return {
      ...listed(test, known.quarantining === 1, now),
      repo: { host, owner, name },
      mode: test.quarantine_mode,
      ticketUrl: test.ticket_url,
      firstSeenAt: test.first_seen_at,
      lastSeenAt: test.last_seen_at,
      changes: changesOf(history, `test ${id}`),
      ...(await countRuns(this.#db, sk, now)),
      commonFailures: await commonFailures(this.#db, sk, now),
      pullRequestsImpacted: await countPullRequests(this.#db, sk, now),
    };
  }

  async #find(repo: RepositoryRef) {
    return await this.#db
      .selectFrom("test_repositories")
      .select(["id", "quarantining", "host", "owner", "name"])
      .where("repo_key", "=", repoKey(repo))
      .executeTakeFirst();
  }
}

function listed(row: TestRow, quarantining: boolean, now: number): Omit<ListedTest, keyof Place> {
  const { id, name, parent, file, classname, variant } = row;
  const isQuarantined = quarantining && row.quarantined === 1 && (row.quarantine_expires_at ?? 0) > now;
  return {
    ...{ id, name, parent, file, classname, variant },
    codeowners:
      row.codeowners === null ? [] : parseStored<readonly string[]>(row.codeowners, `owners of ${id}`),
    status: {
      status: row.status,
      at: row.status_at,
      reason: parseStored<StatusReason>(row.status_reason, `status of ${id}`),
    },
    quarantinedAt: isQuarantined ? row.quarantined_at : null,
  };
}
