import { sql } from "kysely";
import { applyMigrations } from "../schema/apply-migrations.ts";
import { unfinishedCopy } from "../schema/copy-mark.ts";
import type { ExpectedTable } from "../schema/expected-tables.ts";
import type { OpenedSchema } from "../schema/open-schema.ts";
import { readSchemaState } from "../schema/read-schema-state.ts";
import { markCopy, readCopySource } from "./copy-progress.ts";

/**
 * Makes a database ready to be filled: creates the tables, and marks it as an unfinished copy of `from`. Returns
 * whether it is such a copy already.
 *
 * @throws Error when it has other data.
 */
export async function prepareTarget(
  { db, kind }: OpenedSchema,
  tables: readonly ExpectedTable[],
  from: string,
): Promise<"new" | "continued"> {
  const { rows } = await kind.listColumns.execute(db);
  const there = new Set(rows.map(({ table }) => table));
  if (there.has(unfinishedCopy)) {
    const begun = await readCopySource(db);
    if (begun !== from)
      throw new Error(
        `the target is an unfinished copy of ${begun}, and not of ${from}; use an empty database`,
      );
    await readSchemaState(db, kind, true);
    return "continued";
  }
  if (there.size > 0 && !there.has("kysely_migration")) throw new Error(refusal([...there][0] ?? ""));
  await applyMigrations(db, kind);
  await db.transaction().execute(async (tx) => {
    // Migrations insert one row; it is copied like any other.
    await sql`delete from test_numbers where last = 0`.execute(tx);
    for (const { name } of tables) {
      const found = await sql`select 1 as one from ${sql.table(name)} limit 1`.execute(tx);
      if (found.rows.length > 0) throw new Error(refusal(name));
    }
    await markCopy(tx, from);
  });
  return "new";
}

function refusal(table: string): string {
  return `the target is not empty: it has the table ${table}, with other data; use an empty database`;
}
