import type { Kysely } from "kysely";
import { sql } from "kysely";

/** Tests that are known, and whose rows are still to be inserted: many of one upload, packed. See src/store/tests/uploads/new-tests.ts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_new_tests")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("repo_id", "integer", (column) => column.notNull().references("test_repositories.id"))
    // The number of the first; the others follow it.
    .addColumn("first_sk", "integer", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("tests", sql`blob`, (column) => column.notNull())
    .execute();
  // SQLite adds this row with the first test, and it is read and written by name before that.
  await sql`insert into sqlite_sequence (name, seq)
    select 'test_cases', 0 where not exists (select 1 from sqlite_sequence where name = 'test_cases')`.execute(
    db,
  );
}
