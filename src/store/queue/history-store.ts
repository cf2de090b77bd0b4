import { sql } from "kysely";
import type { HistoryStore } from "../../ports/history-store.ts";
import type { Writes } from "../sqlite/group-commit.ts";

/** Each table with its key, and its time, which has an index. */
const aged = [
  { table: "entries", key: ["queue_id", "pr"], at: "ended_at" },
  { table: "test_runs", key: ["queue_id", "run_id"], at: "ended_at" },
  { table: "heads", key: ["repo_key", "pr"], at: "at" },
  { table: "targets", key: ["repo_key", "pr", "head_sha"], at: "uploaded_at" },
] as const;

export class SqlHistoryStore implements HistoryStore {
  readonly #writes: Writes;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  forget(before: number, limit: number): Promise<number> {
    return this.#writes.run(async (tx) => {
      let gone = 0;
      for (const { table, key, at } of aged) {
        const columns = sql.join(key.map((column) => sql.ref(column)));
        const { numAffectedRows } = await sql`
          delete from ${sql.table(table)} where (${columns}) in (
            select ${columns} from ${sql.table(table)} where ${sql.ref(at)} < ${before}
            order by ${sql.ref(at)} limit ${sql.lit(limit)})`.execute(tx);
        gone += Number(numAffectedRows ?? 0n);
      }
      return gone;
    });
  }
}
