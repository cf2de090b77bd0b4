import type { Writes } from "./group-commit.ts";
import type { Database } from "./schema.ts";

/** The base of all stores: a store reads the database, and writes through its group commit. */
export abstract class SqlStore {
  protected readonly db: Database;
  protected readonly writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.db = db;
    this.writes = writes;
  }
}
