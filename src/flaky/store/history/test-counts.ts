import { sql } from "kysely";
import { nameKey } from "../../../engine/model/names.ts";
import type { RepositoryTestCounts, TestCounts } from "../../../ports/tests/test-counts.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { settingsOf } from "../quarantines/test-settings-store.ts";

/** Counts only with indexes: of 100,000 tests few are unhealthy, and one index contains all tests. */
export class SqlTestCounts implements TestCounts {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

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
