import { type ColumnDefinitionBuilder, type Kysely, SqliteAdapter, sql } from "kysely";

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** Times are integer milliseconds since the epoch, flags are 0 or 1, structured values are JSON in text columns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createQueues(db);
  await createEntries(db);
  await createLeasedQueue(db, "outbox");
  await createLeasedQueue(db, "inbox");
  await createDeliveries(db);
  await createTokens(db);
  await createRecordsOfPullRequests(db);
  await db.schema
    .createTable("cursors")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("value", "text", required)
    .execute();
}

async function createQueues(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("queues")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("host", "text", required)
    .addColumn("owner", "text", required)
    .addColumn("name", "text", required)
    .addColumn("repo_key", "text", required)
    .addColumn("branch", "text", required)
    .addColumn("installation_id", "bigint", required)
    .addColumn("created_at", "bigint", required)
    .addColumn("deleted", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex("queues_one_per_branch")
    .unique()
    .on("queues")
    .columns(["repo_key", "branch"])
    .where(sql.ref("deleted"), "=", 0)
    .execute();
  await db.schema
    .createTable("events")
    .addColumn("queue_id", "text", (column) => column.notNull().references("queues.id"))
    .addColumn("seq", "bigint", required)
    .addColumn("at", "bigint", required)
    .addColumn("content", "text", required)
    .addPrimaryKeyConstraint("events_pk", ["queue_id", "seq"])
    .execute();
  await db.schema
    .createTable("snapshots")
    .addColumn("queue_id", "text", required)
    .addColumn("seq", "bigint", required)
    .addColumn("state", "text", required)
    .addPrimaryKeyConstraint("snapshots_pk", ["queue_id", "seq"])
    .addForeignKeyConstraint("snapshots_of_an_event", ["queue_id", "seq"], "events", ["queue_id", "seq"])
    .execute();
}

async function createEntries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("entries")
    .addColumn("queue_id", "text", (column) => column.notNull().references("queues.id"))
    .addColumn("pr", "bigint", required)
    .addColumn("state", "text", required)
    .addColumn("head_ref", "text", required)
    .addColumn("submitted_at", "bigint", required)
    .addColumn("ended_at", "bigint")
    .addColumn("content", "text", required)
    .addPrimaryKeyConstraint("entries_pk", ["queue_id", "pr"])
    .execute();
  await db.schema
    .createIndex("entries_by_head_ref")
    .on("entries")
    .columns(["queue_id", "head_ref"])
    .execute();
  await db.schema
    .createIndex("entries_by_end")
    .on("entries")
    .columns(["queue_id", "ended_at", "pr"])
    .where("ended_at", "is not", null)
    .execute();
}

async function createLeasedQueue(db: Kysely<unknown>, table: "outbox" | "inbox"): Promise<void> {
  const onSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await db.schema
    .createTable(table)
    // Ids are never given again: a worker that lost its lease must not settle a row that came later.
    .addColumn("id", onSqlite ? "integer" : "bigserial", (column) =>
      onSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn("stream", "text", required)
    .addColumn("content", "text", required)
    .addColumn("coalesces", "integer", required)
    .addColumn("not_before", "bigint", required)
    .addColumn("due_at", "bigint")
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("claimed_at", "bigint")
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint")
    .addColumn("last_error", "text")
    .execute();
  await db.schema.createIndex(`${table}_by_stream`).on(table).columns(["stream", "id"]).execute();
  await db.schema
    .createIndex(`${table}_by_due_time`)
    .on(table)
    .columns(["due_at", "id"])
    .where("due_at", "is not", null)
    .execute();
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("deliveries")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("event", "text", required)
    .addColumn("action", "text")
    .addColumn("subject", "text", (column) => column.unique())
    .addColumn("stream", "text", required)
    .addColumn("payload", "text")
    .addColumn("received_at", "bigint", required)
    .addColumn("state", "text", required)
    .addColumn("handled_at", "bigint")
    .addColumn("error", "text")
    .execute();
  await db.schema
    .createIndex("deliveries_by_end")
    .on("deliveries")
    .column("handled_at")
    .where("handled_at", "is not", null)
    .execute();
}

async function createTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("tokens")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("name", "text", required)
    .addColumn("organisation", "text", required)
    .addColumn("scopes", "text", required)
    .addColumn("secret_sha256", "text", required)
    .addColumn("created_at", "bigint", required)
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .addColumn("last_used_at", "bigint")
    .execute();
}

async function createRecordsOfPullRequests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("publications")
    .addColumn("repo_key", "text", required)
    .addColumn("pr", "bigint", required)
    .addColumn("comment_id", "bigint")
    .addColumn("comment_digest", "text")
    .addColumn("check_run_id", "bigint")
    .addColumn("check_sha", "text")
    .addColumn("check_digest", "text")
    .addColumn("notice", "text")
    .addPrimaryKeyConstraint("publications_pk", ["repo_key", "pr"])
    .execute();
  await db.schema
    .createTable("targets")
    .addColumn("repo_key", "text", required)
    .addColumn("pr", "bigint", required)
    .addColumn("head_sha", "text", required)
    .addColumn("host", "text", required)
    .addColumn("owner", "text", required)
    .addColumn("name", "text", required)
    .addColumn("uploaded_at", "bigint", required)
    .addColumn("targets", "text", required)
    .addPrimaryKeyConstraint("targets_pk", ["repo_key", "pr", "head_sha"])
    .execute();
  await db.schema
    .createTable("heads")
    .addColumn("repo_key", "text", required)
    .addColumn("pr", "bigint", required)
    .addColumn("sha", "text", required)
    .addColumn("at", "bigint", required)
    .addPrimaryKeyConstraint("heads_pk", ["repo_key", "pr"])
    .execute();
}
