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
/** How long SQLite itself waits for a lock. Short, because it holds up the whole process. */
const nativeWaitMs = 20;
const lockRetryMs = 10;
const lockRetries = 400;

/** What a row counts for besides the values it was given: its keys in indexes, and what was in it before. */
const bytesPerRow = 64;
/** `Checkpoints` copies the log long before it has so many pages: SQLite would do it within a commit. */
const mostLoggedPages = 16_384;

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/**
 * The one connection to a SQLite file. Statements are synchronous. Between them, other work gets its turn every few milliseconds,
 * also in the middle of a transaction. The connection is used by one caller at a time, so that nobody sees half a transaction.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  /** Least recently used first. */
  readonly #prepared = new Map<string, Prepared>();
  readonly #hold = new LoopHold();
  #written = 0;

  /** @throws Error when the file cannot be opened or created; to read, it has to be there. */
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

  /** How many bytes, roughly, all statements so far have written. */
  get written(): number {
    return this.#written;
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /**
   * Write-ahead log, flushed to disk by every commit.
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

  async run(sql: string): Promise<readonly object[]> {
    return (await this.#execute<object>(sql, [])).rows;
  }

  /** @throws StorageError when the database is at fault. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#execute<R>(query.sql, parametersOf(query));
  }

  /**
   * At once. Null when nothing was done, since the file is locked or the event loop has to go round first: a statement outside
   * of a transaction can be repeated.
   *
   * @throws StorageError also when the file is locked within a transaction.
   */
  tryQuery<R>(query: CompiledQuery): QueryResult<R> | null {
    return this.#hold.isLong() ? null : this.#tryOnce<R>(query.sql, parametersOf(query));
  }

  /** In one piece: an open cursor would hold up the end of a transaction. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  /**
   * A statement outside of a transaction that finds the file locked, `begin immediate` above all, is repeated, and the
   * process goes on meanwhile, since the lock may be held by another store in this very process.
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

/** In bytes; of text, in characters. */
function sizeOf(value: SQLInputValue): number {
  if (typeof value === "string") return value.length;
  return ArrayBuffer.isView(value) ? value.byteLength : 8;
}
