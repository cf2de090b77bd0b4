import { Pool } from "pg";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { databaseOn, execute, postgresServer, template } from "./postgres-server.ts";

/** The database of a test file. */
export class PostgresDatabase {
  readonly url: string;
  readonly #pool: Pool;

  private constructor(url: string, pool: Pool) {
    this.url = url;
    this.#pool = pool;
  }

  static async create(): Promise<PostgresDatabase> {
    const server = await postgresServer();
    const name = `test_${process.pid}_${Date.now().toString(36)}`;
    await execute(server, `create database ${name} template ${template} strategy file_copy`);
    const url = databaseOn(server, name);
    // It is closed with the server.
    const pool = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
    pool.on("error", () => {});
    return new PostgresDatabase(url, pool);
  }

  open(): Promise<Store> {
    return openPostgresStore(this.url);
  }

  /** Deletes all rows, which takes a tenth of the time of another database. */
  async remove(): Promise<void> {
    const { rows } = await this.#pool.query<{ name: string; hasId: boolean }>(emptied);
    const deleted = rows.map(({ name }) => `delete from ${name}`);
    // Ids begin at 1 again, as in a database of its own.
    const restarted = rows
      .filter(({ hasId }) => hasId)
      .map(({ name }) => `alter table ${name} alter column id restart`);
    await this.#pool.query(
      [
        "begin",
        "set local session_replication_role = replica",
        ...deleted,
        ...restarted,
        "insert into test_numbers (one, last) values (1, 0)",
        "commit",
      ].join("; "),
    );
  }
}

const emptied = `
  select table_name as name, bool_or(is_identity = 'YES') as "hasId" from information_schema.columns
  where table_schema = 'public' and table_name not like 'kysely%' group by table_name`;

let created: Promise<PostgresDatabase> | null = null;

/** Gives a test file one database, which each test finds empty. */
export function createPostgresDatabase(): Promise<PostgresDatabase> {
  created ??= PostgresDatabase.create();
  return created;
}

/** The address of another database, with the schema or without. */
export async function anotherDatabase(base = template): Promise<string> {
  const server = await postgresServer();
  others += 1;
  const name = `other_${process.pid}_${Date.now().toString(36)}_${others}`;
  await execute(server, `create database ${name} template ${base} strategy file_copy`);
  return databaseOn(server, name);
}

let others = 0;
