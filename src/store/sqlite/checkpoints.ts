import { setImmediate } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import type { FilePlace } from "./file-place.ts";
import type { GroupHooks } from "./group-commit.ts";
import type { Database } from "./schema.ts";
import { StorageError } from "./storage-error.ts";

/**
 * The number of logged pages at which the log is copied: SQLite's default. Copying them blocks the event loop
 * for some 20 ms.
 */
const pagesAtOnce = 600;
/**
 * The maximum number of commits between two copies of the log. A commit may write many pages for few bytes.
 */
const commitsAtOnce = 64;
/**
 * The estimate before the first checkpoint. A row that is inserted at random places of indexes takes several
 * pages.
 */
const bytesPerPage = 500;

interface Checkpointed {
  /** The pages in the log, including pages that were copied before. */
  readonly log: number;
}

/** `passive` does not wait for readers. Pages that others still read stay in the log until the next checkpoint. */
const checkpoint = CompiledQuery.raw("pragma wal_checkpoint(passive)");

/**
 * Copies the write-ahead log into the database between commits, in a separate turn of the event loop. SQLite
 * itself would do it within a commit, which would then block the event loop twice as long. SQLite reports the
 * number of logged pages only with a checkpoint, so it is estimated from the bytes written since the last
 * one.
 */
export class Checkpoints implements GroupHooks {
  readonly #db: Database;
  readonly #written: () => number;
  readonly #place: FilePlace | null;
  #commits = 0;
  #writtenBefore: number;
  #pagesPerByte = 1 / bytesPerPage;

  /**
   * @param written returns approximately how many bytes were written to the database so far.
   * @param place null = the database is in memory
   */
  constructor(db: Database, written: () => number, place: FilePlace | null = null) {
    this.#db = db;
    this.#written = written;
    this.#place = place;
    this.#writtenBefore = written();
  }

  async begin(): Promise<void> {
    this.#place?.check();
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
      // Nothing is lost: the log remains and is copied later. A faulty disk also refuses the next commit.
      if (!(error instanceof StorageError)) throw error;
      return 0;
    }
  }
}
