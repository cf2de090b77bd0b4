import { sql } from "kysely";
import { expectedTables } from "../schema/expected-tables.ts";
import type { OpenedSchema } from "../schema/open-schema.ts";
import { readSchemaState } from "../schema/read-schema-state.ts";
import { unmarkCopy } from "./copy-progress.ts";
import { copyTable } from "./copy-table.ts";
import { digestTable, type TableDigest } from "./digest-table.ts";
import { readLastId, writeLastId } from "./id-counters.ts";
import { prepareTarget } from "./prepare-target.ts";

export interface CopyListener {
  /** Whether an interrupted copy is continued. */
  began(how: "new" | "continued"): void;
  /** How many rows of a table are copied, of how many. */
  copied(table: string, rows: number, total: number): void;
  /** A table that is equal in both databases. */
  verified(table: string, digest: TableDigest): void;
}

/**
 * Copies all rows of a database to an empty one, or continues such a copy. Afterwards it compares the number of rows
 * and a hash of each table. Until both are equal, the target is marked, and no service uses it. Nobody else may write
 * to either database meanwhile.
 *
 * @param from names the source, so that only the same source continues a copy.
 * @throws Error when the target has other data, or a table differs.
 */
export async function copyDatabase(
  source: OpenedSchema,
  target: OpenedSchema,
  from: string,
  listener: CopyListener,
): Promise<void> {
  const { pending, isEmpty } = await readSchemaState(source.db, source.kind);
  if (isEmpty) throw new Error(`${from} has no tables; there is nothing to copy`);
  if (pending.length > 0)
    throw new Error(`${from} lacks ${pending.join(", ")}; run trainyard migrate on it first`);
  const tables = await expectedTables();
  listener.began(await prepareTarget(target, tables, from));
  for (const table of tables) {
    const counted = await sql<{
      rows: number;
    }>`select count(*) as rows from ${sql.table(table.name)}`.execute(source.db);
    const total = counted.rows[0]?.rows ?? 0;
    await copyTable(source.db, target.db, table, (rows) => listener.copied(table.name, rows, total));
    if (table.countsIds) await writeLastId(target, table, await readLastId(source, table));
  }
  for (const table of tables) {
    const [read, written] = [await digestTable(source.db, table), await digestTable(target.db, table)];
    if (read.sha256 !== written.sha256)
      throw new Error(
        `the table ${table.name} differs: ${read.rows} rows in the source, ${written.rows} in the target. ` +
          "The source has changed since the copy began; empty the target, and copy again",
      );
    listener.verified(table.name, read);
  }
  // The planner knows nothing about new tables.
  if (target.name === "PostgreSQL") await sql`analyze`.execute(target.db);
  await unmarkCopy(target.db);
}
