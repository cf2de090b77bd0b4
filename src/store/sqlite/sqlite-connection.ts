import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import { isBusy } from "./is-busy.ts";
import { LoopHold } from "./loop-hold.ts";
import { createPrivately } from "./private-files.ts";
import { asStorageError } from "./storage-error.ts";

const maxStatements = 256;
/** How long SQLite itself waits for a lock. It is short because the wait blocks the whole process. */
const nativeWaitMs = 20;
const lockRetryMs = 10;
const lockRetries = 400;

/** The estimated bytes of a row in addition to its parameters: its index keys, and its previous content. */
const bytesPerRow = 64;
/** A fallback: `Checkpoints` copies the log long before it has this many pages. SQLite would copy it within a commit. */
const mostLoggedPages = 16_384;

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/**
 * The only connection to a SQLite file. Statements are synchronous. Between them, other work runs every few
 * milliseconds, also within a transaction. Only one caller uses the connection at a time, so that nobody sees
 * a partial transaction.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  /** Least recently used first. */
  readonly #prepared = new Map<string, Prepared>();
  readonly #hold = new LoopHold();
  #written = 0;
  /** Whether a transaction was begun, and neither committed nor rolled back by its user. */
  #hasBegun = false;

  /** @throws Error when the file cannot be opened or created; for reading, it must exist. */
  constructor(path: string, readOnly = false) {
    if (path !== ":memory:" && !readOnly) {
      mkdirSync(dirname(path), { recursive: true });
      createPrivately(path);
    }
    this.#database = new DatabaseSync(path, {
      timeout: nativeWaitMs,
      enableForeignKeyConstraints: true,
      readOnly,
    });
  }

  /** Approximately how many bytes all statements so far have written. */
  get written(): number {
    return this.#written;
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /**
   * Enables the write-ahead log, flushed to disk by every commit.
   *
   * @throws Error when the file system does not support that.
   */
  async makeDurable(): Promise<void> {
    const inMemory = this.#database.location() === null;
    const [answer] = await this.run("pragma journal_mode = wal");
    const mode = Object.values(answer ?? {})[0];
    if (!inMemory && mode !== "wal")
      throw new Error(`SQLite cannot keep a write-ahead log here: ${String(mode)}`);
    await this.run("pragma synchronous = full");
    // macOS: fsync alone leaves the data in the drive's cache.
    await this.run("pragma fullfsync = on");
    await this.run("pragma journal_size_limit = 67108864");
    await this.run(`pragma wal_autocheckpoint = ${mostLoggedPages}`);
  }

  async begin(): Promise<void> {
    await this.run("begin immediate");
    this.#hasBegun = true;
  }

  async commit(): Promise<void> {
    await this.run("commit");
    this.#hasBegun = false;
  }

  async rollBack(): Promise<void> {
    this.#hasBegun = false;
    // After a full disk or a failed write, SQLite has rolled back already.
    if (this.isInTransaction) await this.run("rollback");
  }

  async run(sql: string): Promise<readonly object[]> {
    return (await this.#execute<object>(sql, [])).rows;
  }

  /** @throws StorageError when the database is faulty. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#execute<R>(query.sql, parametersOf(query));
  }

  /**
   * Runs the query immediately. Returns null and does nothing when the file is locked or the event loop must
   * run first; a statement outside of a transaction can be repeated.
   *
   * @throws StorageError also when the file is locked within a transaction.
   */
  tryQuery<R>(query: CompiledQuery): QueryResult<R> | null {
    return this.#hold.isLong() ? null : this.#tryOnce<R>(query.sql, parametersOf(query));
  }

  /** Returns all rows at once, because an open cursor would delay the end of a transaction. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  /**
   * A statement outside of a transaction that finds the file locked, most often `begin immediate`, is
   * repeated. The process continues meanwhile, because the lock may be held by another store in the same
   * process.
   */
  async #execute<R>(sql: string, parameters: readonly SQLInputValue[]): Promise<QueryResult<R>> {
    if (this.#hold.isLong()) await this.#hold.pause();
    for (let retries = 0; retries < lockRetries; retries++) {
      const result = this.#tryOnce<R>(sql, parameters);
      if (result) return result;
      await setTimeout(lockRetryMs);
    }
    try {
      return this.#executeOnce<R>(sql, parameters);
    } catch (error) {
      throw asStorageError(error);
    }
  }

  #tryOnce<R>(sql: string, parameters: readonly SQLInputValue[]): QueryResult<R> | null {
    try {
      return this.#executeOnce<R>(sql, parameters);
    } catch (error) {
      if (!isBusy(error) || this.isInTransaction) throw asStorageError(error);
      return null;
    }
  }

  #executeOnce<R>(sql: string, parameters: readonly SQLInputValue[]): QueryResult<R> {
    // Outside of the transaction, the statement would be committed by itself.
    if (this.#hasBegun && !this.isInTransaction) throw new Error("SQLite has rolled back the transaction");
    const { statement, returnsRows } = this.#prepare(sql);
    for (const value of parameters) this.#written += sizeOf(value);
    if (returnsRows) return { rows: statement.all(...parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    this.#written += Number(changes) * bytesPerRow;
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) this.#prepared.delete(sql);
    const prepared = known ?? this.#prepareNew(sql);
    this.#prepared.set(sql, prepared);
    for (const oldest of this.#prepared.keys()) {
      if (this.#prepared.size <= maxStatements) break;
      this.#prepared.delete(oldest);
    }
    return prepared;
  }

  #prepareNew(sql: string): Prepared {
    const statement = this.#database.prepare(sql);
    return { statement, returnsRows: statement.columns().length > 0 };
  }
}

function parametersOf({ parameters }: CompiledQuery): readonly SQLInputValue[] {
  return parameters as readonly SQLInputValue[];
}

/** In bytes; for text, in characters. */
function sizeOf(value: SQLInputValue): number {
  if (typeof value === "string") return value.length;
  return ArrayBuffer.isView(value) ? value.byteLength : 8;
}
