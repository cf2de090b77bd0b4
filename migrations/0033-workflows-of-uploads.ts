import type { Kysely } from "kysely";

/** Jobs of one name in different workflows are different jobs. Of earlier uploads the workflow is not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("test_uploads")
    .addColumn("workflow", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
