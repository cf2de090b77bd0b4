import type { Kysely } from "kysely";

/** Who has said what a pull request impacts. Of earlier uploads it is not known: forks only add to those, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("targets")
    .addColumn("source", "text", (column) => column.notNull().defaultTo("organisation"))
    .execute();
}
