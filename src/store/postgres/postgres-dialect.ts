import {
  CompiledQuery,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
} from "kysely";
import { Pool, type PoolConfig } from "pg";
import { PostgresConnection } from "./postgres-connection.ts";
import { asPostgresFault } from "./postgres-error.ts";

/** Kysely over `pg`. Kysely's own `PostgresDialect` keeps broken connections, and does not classify errors. */
export class PoolDialect implements Dialect {
  readonly #settings: PoolConfig;
  readonly #begin: string;

  /** @param begin the statements that begin a transaction. */
  constructor(settings: PoolConfig, begin: string) {
    this.#settings = settings;
    this.#begin = begin;
  }

  createDriver(): Driver {
    return new PoolDriver(this.#settings, this.#begin);
  }

  createAdapter(): DialectAdapter {
    return new TransactionLocks();
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }
}

/** Kysely's own lock of migrations belongs to a session, so it does not work through a pooler: see `postgresSchema`. */
class TransactionLocks extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

class PoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #begin: CompiledQuery;
  #isClosed = false;

  constructor(settings: PoolConfig, begin: string) {
    this.#begin = CompiledQuery.raw(begin);
    this.#pool = new Pool(settings);
    // Without a listener, a lost connection would end the process. Its next use reports the loss.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    if (this.#isClosed) throw new Error("the database is closed");
    try {
      return new PostgresConnection(await this.#pool.connect());
    } catch (error) {
      throw asPostgresFault(error);
    }
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    await connection.executeQuery(this.#begin);
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await connection.rollBack();
  }

  async destroy(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }
}
