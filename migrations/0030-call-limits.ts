import { type Kysely, sql } from "kysely";

/** Limits of calls to GitHub by installation; comments and checks are known by their global ids. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("call_limits")
    .addColumn("installation_id", "bigint", (column) => column.primaryKey())
    .addColumn("rest_stopped_until", "bigint", (column) => column.notNull())
    .addColumn("graphql_stopped_until", "bigint", (column) => column.notNull())
    .addColumn("minute_tokens", "double precision", (column) => column.notNull())
    .addColumn("hour_tokens", "double precision", (column) => column.notNull())
    .addColumn("filled_at", "bigint", (column) => column.notNull())
    .execute();
  for (const [old, column] of [
    ["comment_id", "comment_node"],
    ["check_run_id", "check_run_node"],
  ] as const) {
    await db.schema.alterTable("publications").addColumn(column, "text").execute();
    // The global id is looked up by the number when it is needed first.
    await sql`update publications set ${sql.ref(column)} = cast(${sql.ref(old)} as text)`.execute(db);
    await db.schema.alterTable("publications").dropColumn(old).execute();
  }
}
