import { sql } from "kysely";
import { nameKey } from "../../../engine/model/names.ts";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import type { TestStatus } from "../../detection/status.ts";
import { settingsOf } from "../quarantines/test-settings-store.ts";

export interface RepositoryTestCounts {
  readonly repo: RepositoryRef;
  readonly byStatus: Readonly<Record<TestStatus, number>>;
  /** The tests whose failures are forgiven. */
  readonly quarantined: number;
  /** Whether the budget is used up, so that a flaky test is not quarantined. */
  readonly isBudgetSpent: boolean;
  /** Whether the code host refuses the issues that the repository wants for flaky tests. */
  readonly areIssuesRefused: boolean;
}

/** Counts only with indexes: of 100,000 tests, few are unhealthy, and one index contains all tests. */
export class TestCounts {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The counts of each repository of an owner that has known tests, by name. The owner compares
   * case-insensitively.
   */
  async ofOwner(owner: string, now: number): Promise<readonly RepositoryTestCounts[]> {
    const repositories = await this.#db
      .selectFrom("test_repositories")
      .select(["id", "host", "owner", "name", "quarantining", "settings", "budget_spent_at"])
      .select("issues_refused")
      .where(sql`lower(owner)`, "=", nameKey(owner))
      .orderBy("repo_key")
      .execute();
    const counts: RepositoryTestCounts[] = [];
    for (const row of repositories) {
      const { id, host, owner: spelled, name, quarantining } = row;
      const { FLAKY = 0, BROKEN = 0 } = await this.#unhealthy(id);
      counts.push({
        repo: { host, owner: spelled, name },
        byStatus: { HEALTHY: (await this.#tests(id)) - FLAKY - BROKEN, FLAKY, BROKEN },
        quarantined: quarantining === 1 ? await this.#quarantined(id, now) : 0,
        isBudgetSpent: quarantining === 1 && row.budget_spent_at !== null,
        areIssuesRefused: settingsOf(row).issues && row.issues_refused !== null,
      });
    }
    return counts;
  }

  async #tests(repositoryId: number): Promise<number> {
    const { count } = await this.#db
      .selectFrom("test_ids")
      .select((test) => test.fn.countAll<number>().as("count"))
      .where("repo_id", "=", repositoryId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async #unhealthy(repositoryId: number): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#db
      .selectFrom("test_cases")
      .select((test) => ["status", test.fn.countAll<number>().as("count")])
      .where("repo_id", "=", repositoryId)
      .where(sql<boolean>`status != 'HEALTHY'`)
      .groupBy("status")
      .execute();
    return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  }

  async #quarantined(repositoryId: number, now: number): Promise<number> {
    const { count } = await this.#db
      .selectFrom("test_cases")
      .select((test) => test.fn.countAll<number>().as("count"))
      .where("repo_id", "=", repositoryId)
      .where((test) => test("quarantined", "=", test.lit(1)))
      .where("quarantine_expires_at", ">", now)
      .executeTakeFirstOrThrow();
    return Number(count);
  }
}
