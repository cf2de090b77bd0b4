import { setImmediate } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { Checkpoints } from "./checkpoints.ts";
import type { Database, Tx } from "./schema.ts";

/** The one way to write. */
export interface Writes {
  /**
   * Carries out `work` in a transaction and resolves once that is on disk. When `work` throws, what it wrote is undone, and
   * the promise rejects with its error. `work` uses only the transaction it is given, and awaits nothing but its queries.
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

type Answer = () => void;

interface WaitingWrite {
  carryOut(tx: Tx): Promise<Answer>;
  reject(error: unknown): void;
}

/** Bounds how long the first write of a group waits for the last. */
const maxGroup = 200;
/** The bytes that a group writes before it is committed, unless a single write has more. Nothing else runs during a commit. */
const maxBytes = 1_000_000;

const savepoint = CompiledQuery.raw("savepoint one_write");
const rollback = CompiledQuery.raw("rollback to savepoint one_write");
const release = CompiledQuery.raw("release savepoint one_write");

/**
 * Lets writes that come in together share one transaction, and so one flush to disk, which costs more than everything else.
 * Each has its own savepoint: one that fails does not undo the others. Nobody is answered before the commit.
 */
export class GroupCommit implements Writes {
  readonly #db: Database;
  readonly #written: () => number;
  readonly #checkpoints: Checkpoints;
  #waiting: WaitingWrite[] = [];
  #flushing: Promise<void> | null = null;
  #closed = false;

  /** @param written how many bytes, roughly, were written to the database so far. */
  constructor(db: Database, written: () => number = () => 0) {
    this.#db = db;
    this.#written = written;
    this.#checkpoints = new Checkpoints(db, written);
  }

  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error("the store is closed"));
      const carryOut = async (tx: Tx) => {
        const value = await work(tx);
        return () => resolve(value);
      };
      this.#waiting.push({ carryOut, reject });
      this.#flushing ??= this.#flushAll();
    });
  }

  /** Takes nothing more, and resolves when what was taken is on disk. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
  }

  async #flushAll(): Promise<void> {
    do {
      // The callers whose writes were just answered get to ask for their next ones, which then share a flush.
      await setImmediate();
      const group = this.#waiting.splice(0, maxGroup);
      await this.#flush(group);
      await this.#checkpoints.afterCommit();
    } while (this.#waiting.length > 0);
    this.#flushing = null;
  }

  async #flush(group: readonly WaitingWrite[]): Promise<void> {
    let answers: readonly Answer[] = [];
    try {
      answers = await this.#db.transaction().execute((tx) => this.#carryOutSome(tx, group));
    } catch (error) {
      for (const write of group) write.reject(error);
      return;
    }
    for (const answer of answers) answer();
    this.#waiting.unshift(...group.slice(answers.length));
  }

  /** Carries out the first writes, until they have written enough for one commit. */
  async #carryOutSome(tx: Tx, group: readonly WaitingWrite[]): Promise<readonly Answer[]> {
    const before = this.#written();
    const answers: Answer[] = [];
    for (const write of group) {
      answers.push(await carryOutOne(tx, write));
      if (this.#written() - before > maxBytes) break;
    }
    return answers;
  }
}

async function carryOutOne(tx: Tx, write: WaitingWrite): Promise<Answer> {
  await tx.executeQuery(savepoint);
  let answer: Answer;
  try {
    answer = await write.carryOut(tx);
  } catch (error) {
    // When this fails, the database has given up the whole transaction, and the first error says why.
    await tx.executeQuery(rollback).catch(() => {
      throw error;
    });
    answer = () => write.reject(error);
  }
  await tx.executeQuery(release);
  return answer;
}
