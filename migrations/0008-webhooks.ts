import { type Kysely, SqliteAdapter } from "kysely";

/** Who is told what happens to pull requests, and what they are told. Secrets are sealed, see ADR 21. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createEndpoints(db);
  await createDeliveries(db);
}

async function createEndpoints(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhook_endpoints")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("organisation", "text", (column) => column.notNull())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("events", "text", (column) => column.notNull())
    .addColumn("enabled", "integer", (column) => column.notNull())
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("previous_secret", "text")
    .addColumn("previous_until", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("deleted_at", "bigint")
    .addColumn("delivered", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("failed", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("parked", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex("webhook_endpoints_by_organisation")
    .on("webhook_endpoints")
    .columns(["organisation", "created_at"])
    .execute();
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  const onSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await db.schema
    .createTable("webhook_deliveries")
    // Ids are never given again: a worker that lost its lease must not settle a row that came later.
    .addColumn("id", onSqlite ? "integer" : "bigserial", (column) =>
      onSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn("endpoint_id", "text", (column) => column.notNull().references("webhook_endpoints.id"))
    .addColumn("message_id", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("stream", "text", (column) => column.notNull())
    .addColumn("payload", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("give_up_at", "bigint", (column) => column.notNull())
    .addColumn("not_before", "bigint", (column) => column.notNull())
    .addColumn("due_at", "bigint")
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint")
    .addColumn("last_status", "integer")
    .addColumn("last_error", "text")
    .addColumn("ended_at", "bigint")
    .addUniqueConstraint("webhook_deliveries_one_per_message", ["endpoint_id", "message_id"])
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_by_stream")
    .on("webhook_deliveries")
    .columns(["endpoint_id", "stream", "state", "id"])
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_by_endpoint")
    .on("webhook_deliveries")
    .columns(["endpoint_id", "id"])
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_by_state")
    .on("webhook_deliveries")
    .columns(["endpoint_id", "state", "id"])
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_by_due_time")
    .on("webhook_deliveries")
    .columns(["endpoint_id", "due_at", "id"])
    .where("due_at", "is not", null)
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_by_end")
    .on("webhook_deliveries")
    .columns(["state", "ended_at"])
    .where("ended_at", "is not", null)
    .execute();
}
