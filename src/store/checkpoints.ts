import { setImmediate } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import type { Database } from "./schema.ts";
import { StorageError } from "./storage-error.ts";

/** Pages of the log at which it is copied: SQLite's own default. Copying them holds the event loop for some 20 ms. */
const pagesAtOnce = 600;
/** At the latest; a commit may write many pages for few bytes. */
const commitsAtOnce = 64;
/** What is assumed before the first checkpoint. A row that is put into random places of indexes takes several pages. */
const bytesPerPage = 500;

interface Checkpointed {
  /** Pages in the log, of which it may have copied some before. */
  readonly log: number;
}

/** `passive` waits for nobody: what others still read stays in the log until the next checkpoint. */
const checkpoint = CompiledQuery.raw("pragma wal_checkpoint(passive)");

/**
 * Copies the write-ahead log into the database between commits, in a turn of its own. SQLite itself does it within a commit, which
 * then blocks the event loop twice as long. SQLite tells the number of logged pages only with a checkpoint, so that it is estimated
 * from what was written since the last one.
 */
export class Checkpoints {
  readonly #db: Database;
  readonly #written: () => number;
  #commits = 0;
  #writtenBefore: number;
  #pagesPerByte = 1 / bytesPerPage;

  /** @param written how many bytes, roughly, were written to the database so far. */
  constructor(db: Database, written: () => number) {
    this.#db = db;
    this.#written = written;
    this.#writtenBefore = written();
  }

  async afterCommit(): Promise<void> {
    this.#commits += 1;
    const bytes = this.#written() - this.#writtenBefore;
    if (this.#commits < commitsAtOnce && bytes * this.#pagesPerByte < pagesAtOnce) return;
    this.#commits = 0;
    this.#writtenBefore = this.#written();
    await setImmediate();
    const pages = await this.#copyLog();
    if (bytes > 0) this.#pagesPerByte = Math.max(pages / bytes, 1 / bytesPerPage);
  }

  /** Returns how many pages the log had. */
  async #copyLog(): Promise<number> {
    try {
      const { rows } = await this.#db.executeQuery<Checkpointed>(checkpoint as CompiledQuery<Checkpointed>);
      return rows[0]?.log ?? 0;
    } catch (error) {
      // Nothing is lost: the log is still there, and is copied later. A disk that is at fault refuses the next commit, too.
      if (!(error instanceof StorageError)) throw error;
      return 0;
    }
  }
}
