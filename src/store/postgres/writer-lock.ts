import { sql } from "kysely";
import type { GroupHooks } from "../sqlite/group-commit.ts";
import type { Tx } from "../sqlite/schema.ts";

/** Any number that other users of the database do not take. */
const lock = 7_214_085_530_126_044n;

/**
 * Lets one replica write at a time, as SQLite does. The stores depend on that: what a write has read does not
 * change until it is committed, and numbers of rows have the order of commits. The lock belongs to the
 * transaction, so it works through a pooler, and ends with its connection.
 */
export const writerLock: GroupHooks = {
  async begin(tx: Tx): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(tx);
  },
  async afterCommit(): Promise<void> {},
};
