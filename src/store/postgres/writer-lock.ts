import { sql } from "kysely";
import type { GroupHooks } from "../sqlite/group-commit.ts";
import type { Tx } from "../sqlite/schema.ts";
import { advisoryLocks } from "./advisory-locks.ts";

const [ours, lock] = advisoryLocks.writer;

/**
 * Lets one replica write at a time, as SQLite does. The stores depend on that: what a write has read does not
 * change until it is committed, and numbers of rows have the order of commits. The lock belongs to the
 * transaction, so it works through a pooler, and ends with its connection.
 */
export const writerLock: GroupHooks = {
  avoidsSavepoints: true,
  async begin(tx: Tx): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(ours)}, ${sql.lit(lock)})`.execute(tx);
  },
  async afterCommit(): Promise<void> {},
};
