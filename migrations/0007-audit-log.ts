import { type Kysely, SqliteAdapter, sql } from "kysely";

/** Who did what. Each way of looking at it is a range of an index, so that no question reads a year of entries. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("audit_log")
    .addColumn("organisation", "text", (column) => column.notNull())
    // Counted in each organisation: a number of all would tell how much others do.
    .addColumn("id", "bigint", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("actor_key", "text", (column) => column.notNull())
    .addColumn("repo_key", "text")
    .addColumn("content", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("audit_log_pk", ["organisation", "id"])
    .execute();
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on("audit_log").columns(columns).execute();
  await index("audit_log_by_age", ["at"]);
  await index("audit_log_by_organisation", ["organisation", "at", "id"]);
  await index("audit_log_by_action", ["organisation", "action", "at", "id"]);
  await index("audit_log_by_actor", ["organisation", "actor_key", "at", "id"]);
  await index("audit_log_by_repository", ["organisation", "repo_key", "at", "id"]);
  if (db.getExecutor().adapter instanceof SqliteAdapter) {
    await sql`create trigger audit_log_is_append_only before update on audit_log
      begin select raise(abort, 'the audit log is append-only'); end`.execute(db);
  }
}
