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

/**
 * Kysely over `node:sqlite`. Kysely's own `SqliteDialect` begins transactions as readers, which cannot wait
 * for the write lock.
 */
export class NodeSqliteDialect implements Dialect {
  readonly #path: string;
  readonly #readOnly: boolean;

  constructor(path: string, readOnly = false) {
    this.#path = path;
    this.#readOnly = readOnly;
  }

  createDriver(): NodeSqliteDriver {
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
  /** SQLite changes its schema in transactions, so `begin immediate` serves as the lock for migrations. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver below serializes access. Kysely's own lock wakes all waiting callers each time, although only one can continue. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * One connection, used by one caller at a time in order of arrival, so that nobody sees uncommitted changes
 * of another.
 */
export class NodeSqliteDriver implements Driver {
  readonly #path: string;
  readonly #readOnly: boolean;
  #connection: SqliteConnection | null = null;
  #isClosed = false;
  /** The number of callers that hold the connection or wait for it. */
  #turns = 0;
  #lastTurn: Promise<void> = Promise.resolve();
  #endTurn: () => void = () => {};

  constructor(path: string, readOnly: boolean) {
    this.#path = path;
    this.#readOnly = readOnly;
  }

  /** The connection; null until first used. Only the current holder may use it. Other code uses `idle`. */
  get connection(): SqliteConnection | null {
    return this.#connection;
  }

  /** The connection while nobody holds it; otherwise null. */
  get idle(): SqliteConnection | null {
    return this.#turns === 0 ? this.#connection : null;
  }

  /** The first caller opens the file. */
  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    await this.#takeTurn();
    try {
      this.#connection ??= await this.#open();
      return this.#connection;
    } catch (error) {
      this.#passTurn();
      throw error;
    }
  }

  async releaseConnection(): Promise<void> {
    this.#passTurn();
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.rollBack();
  }

  async destroy(): Promise<void> {
    await this.#takeTurn();
    this.#isClosed = true;
    this.#connection?.close();
    this.#connection = null;
    this.#passTurn();
  }

  async #open(): Promise<SqliteConnection> {
    if (this.#isClosed) throw new Error("the database is closed");
    const connection = new SqliteConnection(this.#path, this.#readOnly);
    try {
      if (!this.#readOnly) await connection.makeDurable();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  async #takeTurn(): Promise<void> {
    const turnBefore = this.#lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastTurn = promise;
    this.#turns += 1;
    await turnBefore;
    this.#endTurn = resolve;
  }

  #passTurn(): void {
    this.#turns -= 1;
    this.#endTurn();
  }
}
