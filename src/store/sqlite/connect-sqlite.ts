import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  type DialectAdapter,
  Kysely,
  type QueryCompiler,
  type QueryResult,
} from "kysely";
import { NodeSqliteDialect, type NodeSqliteDriver } from "./sqlite-dialect.ts";

/** A database, with the write counter of its connection. */
export interface OpenedSqlite<Schema> {
  readonly db: Kysely<Schema>;
  /** Approximately how many bytes all statements so far have written. */
  readonly written: () => number;
}

/** Kysely on a SQLite file. The first query opens the file. */
export function connectSqlite<Schema>(path: string, readOnly = false): Kysely<Schema> {
  return openSqlite<Schema>(path, readOnly).db;
}

export function openSqlite<Schema>(path: string, readOnly = false): OpenedSqlite<Schema> {
  const dialect = new NodeSqliteDialect(path, readOnly);
  const driver = dialect.createDriver();
  const parts = { driver, compiler: dialect.createQueryCompiler(), adapter: dialect.createAdapter() };
  const executor = new SqliteExecutor(parts, new DefaultConnectionProvider(driver), false);
  const db = new Kysely<Schema>({ config: { dialect }, dialect, driver, executor });
  return { db, written: () => driver.connection?.written ?? 0 };
}

interface ExecutorOptions {
  readonly driver: NodeSqliteDriver;
  readonly compiler: QueryCompiler;
  readonly adapter: DialectAdapter;
}

/**
 * Passes a query directly to the one connection. Kysely's own executor acquires the connection for each query, even within a transaction,
 * which takes longer than SQLite's response.
 */
class SqliteExecutor extends DefaultQueryExecutor {
  readonly #parts: ExecutorOptions;
  /** Whether the user of this executor already holds the connection. */
  readonly #hasTurn: boolean;

  constructor(parts: ExecutorOptions, provider: ConnectionProvider, hasTurn: boolean) {
    super(parts.compiler, parts.adapter, provider);
    this.#parts = parts;
    this.#hasTurn = hasTurn;
  }

  /** For a transaction, which already holds the connection. */
  override withConnectionProvider(provider: ConnectionProvider): SqliteExecutor {
    return new SqliteExecutor(this.#parts, provider, true);
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { connection, idle } = this.#parts.driver;
    if (this.#hasTurn && connection) return connection.executeQuery<R>(query);
    return idle?.tryQuery<R>(query) ?? super.executeQuery<R>(query);
  }
}
