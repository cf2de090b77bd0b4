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
export class NodeSqliteDriver implements Driver {
  readonly #path: string;
  readonly #readOnly: boolean;
  #connection: SqliteConnection | null = null;
  #isClosed = false;
  /** How many have their turn or wait for it. */
  #turns = 0;
  #lastTurn: Promise<void> = Promise.resolve();
  #endTurn: () => void = () => {};

  constructor(path: string, readOnly: boolean) {
    this.#path = path;
    this.#readOnly = readOnly;
  }

  /** Null before the first turn. For whoever has the turn; for others, see `idle`. */
  get connection(): SqliteConnection | null {
    return this.#connection;
  }

  /** While it is nobody's turn. */
  get idle(): SqliteConnection | null {
    return this.#turns === 0 ? this.#connection : null;
  }

  /** The first turn opens the file. */
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
