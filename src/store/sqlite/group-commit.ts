import { setImmediate } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import type { StorageFault } from "../../ports/storage-fault.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { Database, Tx } from "./schema.ts";
import { StorageError } from "./storage-error.ts";

/** The only way to write to the database. */
export interface Writes {
  /**
   * Runs `work` in a transaction and resolves when that is on disk. When `work` throws, its writes are rolled
   * back, and the promise rejects with its error. `work` must use only the transaction it is given, await
   * only its queries, and begin none before the previous one has succeeded. It may run twice: when another write
   * of its group fails, the group starts again.
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

type Answer = () => void;

/** What a kind of database does around the transaction of a group. */
export interface GroupHooks {
  /**
   * Whether a savepoint costs so much that a group is first tried without: a round trip to a server. Default:
   * no.
   */
  readonly avoidsSavepoints?: boolean;
  /** Called first in the transaction. */
  begin(tx: Tx): Promise<void>;
  afterCommit(): Promise<void>;
}

interface WaitingWrite {
  execute(tx: Tx): Promise<Answer>;
  reject(error: unknown): void;
}

/** Limits how long the first write of a group waits for the last one. */
const maxGroup = 200;
/**
 * A group is committed when it has written more than this many bytes; a single write may have more. Nothing
 * else runs during a commit.
 */
const maxBytes = 1_000_000;
/** A group is also committed after this time, in milliseconds: other processes wait for its end. */
const maxMs = 1_000;

/** A write of a group without savepoints has failed, so nothing of it can be committed. */
class WriteFailed extends Error {}

const savepoint = CompiledQuery.raw("savepoint one_write");
const rollback = CompiledQuery.raw("rollback to savepoint one_write");
const release = CompiledQuery.raw("release savepoint one_write");

/**
 * Combines concurrent writes in one transaction, and so in one flush to disk, which costs more than the writes themselves. A failed write
 * does not roll back the others: each has its own savepoint, or the group is tried without savepoints first. Callers are answered only
 * after the commit.
 */
export class GroupCommit implements Writes {
  readonly #db: Database;
  readonly #written: () => number;
  readonly #hooks: GroupHooks;
  #waiting: WaitingWrite[] = [];
  #flushing: Promise<void> | null = null;
  #closed = false;
  #fault: { readonly error: StorageError; readonly at: number } | null = null;

  /**
   * @param written returns approximately how many bytes were written to the database so far.
   * @param hooks default: those of SQLite.
   */
  constructor(
    db: Database,
    written: () => number = () => 0,
    hooks: GroupHooks = new Checkpoints(db, written),
  ) {
    this.#db = db;
    this.#written = written;
    this.#hooks = hooks;
  }

  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error("the store is closed"));
      const execute = async (tx: Tx) => {
        const value = await work(tx);
        return () => resolve(value);
      };
      const fail = (error: unknown) => {
        if (error instanceof StorageError) this.#fault = { error, at: performance.now() };
        reject(error);
      };
      this.#waiting.push({ execute, reject: fail });
      this.#flushing ??= this.#flushAll();
    });
  }

  /**
   * Returns the fault of the last write that failed because of the database, if it failed within the last `ms` milliseconds; otherwise
   * null.
   */
  faultWithin(ms: number): StorageFault | null {
    return this.#fault && performance.now() - this.#fault.at < ms ? this.#fault.error : null;
  }

  /** Accepts no more writes, and resolves when the accepted ones are on disk. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
  }

  async #flushAll(): Promise<void> {
    try {
      do {
        // Lets callers that were just answered submit their next writes, which then share a flush.
        await setImmediate();
        const group = this.#waiting.splice(0, maxGroup);
        await this.#flush(group);
        await this.#hooks.afterCommit();
      } while (this.#waiting.length > 0);
    } finally {
      this.#flushing = null;
    }
  }

  async #flush(group: readonly WaitingWrite[]): Promise<void> {
    let answers: readonly Answer[] = [];
    try {
      answers = await this.#commit(group);
    } catch (error) {
      for (const write of group) write.reject(error);
      return;
    }
    for (const answer of answers) answer();
    this.#waiting.unshift(...group.slice(answers.length));
  }

  async #commit(group: readonly WaitingWrite[]): Promise<readonly Answer[]> {
    const transaction = (execute: Execute) =>
      this.#db.transaction().execute((tx) => this.#executeSome(tx, group, execute));
    if (!this.#hooks.avoidsSavepoints) return await transaction(withSavepoint);
    try {
      return await transaction(withoutSavepoint);
    } catch (error) {
      if (error instanceof WriteFailed) return await transaction(withSavepoint);
      throw error;
    }
  }

  /** Runs the first writes, until they have written enough for one commit. */
  async #executeSome(tx: Tx, group: readonly WaitingWrite[], execute: Execute): Promise<readonly Answer[]> {
    await this.#hooks.begin(tx);
    const before = this.#written();
    const began = performance.now();
    const answers: Answer[] = [];
    for (const write of group) {
      answers.push(await execute(tx, write));
      if (this.#written() - before > maxBytes || performance.now() - began > maxMs) break;
    }
    return answers;
  }
}

type Execute = (tx: Tx, write: WaitingWrite) => Promise<Answer>;

async function withoutSavepoint(tx: Tx, write: WaitingWrite): Promise<Answer> {
  try {
    return await write.execute(tx);
  } catch (error) {
    throw new WriteFailed("a write has failed", { cause: error });
  }
}

async function withSavepoint(tx: Tx, write: WaitingWrite): Promise<Answer> {
  await tx.executeQuery(savepoint);
  let answer: Answer;
  try {
    answer = await write.execute(tx);
  } catch (error) {
    // When this fails, the database has rolled back the whole transaction, and the first error says why.
    await tx.executeQuery(rollback).catch(() => {
      throw error;
    });
    answer = () => write.reject(error);
  }
  await tx.executeQuery(release);
  return answer;
}
