import { PostgresAdapter, sql } from "kysely";
import type { Database } from "../sqlite/schema.ts";
import { expectedTables } from "./expected-tables.ts";

interface SizeRow {
  readonly name: string;
  readonly rows: number;
}

/** Tables without row numbers, each with another table that has as many rows. */
const sameSize: Readonly<Record<string, string>> = { test_ids: "test_cases" };

/**
 * On PostgreSQL, the estimate of the last vacuum or analysis. On SQLite, the distance of the first and the last row number, which is exact
 * unless rows between them were deleted: then there are fewer rows.
 *
 * Rejected: `count(*)`, which reads whole tables while nothing else runs, and the statistics of `analyze`, which change how SQLite executes
 * other statements.
 */
export class TableSizes {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Approximately how many rows each table has, by its name. Counts no rows, so it takes a few milliseconds. */
  async estimate(): Promise<ReadonlyMap<string, number>> {
    const names = (await expectedTables()).map(({ name }) => name);
    const isPostgres = this.#db.getExecutor().adapter instanceof PostgresAdapter;
    const found = isPostgres ? await this.#ofPostgres(names) : await this.#ofSqlite(names);
    return new Map(found.map(({ name, rows }) => [name, rows]));
  }

  async #ofPostgres(names: readonly string[]): Promise<readonly SizeRow[]> {
    // A table that was never analyzed has -1.
    const { rows } = await sql<SizeRow>`
      select relname as name, greatest(reltuples, 0)::bigint as rows from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname in (${sql.join(names)})`.execute(
      this.#db,
    );
    return rows;
  }

  async #ofSqlite(names: readonly string[]): Promise<readonly SizeRow[]> {
    const found: SizeRow[] = [];
    for (const name of names) {
      const table = sql.table(sameSize[name] ?? name);
      // If one query asked for both ends, it would read the whole table.
      const { rows } = await sql<{ rows: number | null }>`
        select (select max(rowid) from ${table}) - (select min(rowid) from ${table}) + 1 as rows`.execute(
        this.#db,
      );
      found.push({ name, rows: rows[0]?.rows ?? 0 });
    }
    return found;
  }
}
