import {
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { SqliteConnection } from "./sqlite-connection.ts";

/** Kysely over `node:sqlite`. Its own `SqliteDialect` begins transactions as readers, which cannot wait for the write lock. */
export class NodeSqliteDialect implements Dialect {
  readonly #path: string;
  readonly #readOnly: boolean;

  constructor(path: string, readOnly = false) {
    this.#path = path;
    this.#readOnly = readOnly;
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#path, this.#readOnly);
  }

  createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter();
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** SQLite changes its schema in transactions, so `begin immediate` is the lock under which migrations run. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver below takes care of turns. Kysely's own lock wakes everyone who waits each time, to let one through. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** One connection for everybody in turn, so that nobody sees what another has not committed yet. */
class NodeSqliteDriver implements Driver {
  readonly #path: string;
  readonly #readOnly: boolean;
  #connection: SqliteConnection | null = null;
  #lastTurn: Promise<void> = Promise.resolve();
  #endTurn: () => void = () => {};

  constructor(path: string, readOnly: boolean) {
    this.#path = path;
    this.#readOnly = readOnly;
  }

  async init(): Promise<void> {
    const connection = new SqliteConnection(this.#path, this.#readOnly);
    try {
      if (!this.#readOnly) await connection.makeDurable();
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#connection = connection;
  }

  async acquireConnection(): Promise<SqliteConnection> {
    const turnBefore = this.#lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastTurn = promise;
    await turnBefore;
    this.#endTurn = resolve;
    if (this.#connection) return this.#connection;
    resolve();
    throw new Error("the database is closed");
  }

  async releaseConnection(): Promise<void> {
    this.#endTurn();
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.run("begin immediate");
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.run("commit");
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    // A full disk or a failed write has rolled back already.
    if (connection.isInTransaction) await connection.run("rollback");
  }

  async destroy(): Promise<void> {
    const connection = await this.acquireConnection();
    this.#connection = null;
    connection.close();
    await this.releaseConnection();
  }
}
