import type { Kysely } from "kysely";
import { applyMigrations } from "../schema/apply-migrations.ts";
import { sqliteSchema } from "./sqlite-schema.ts";

/** `applyMigrations` for SQLite. */
export function migrate<Schema>(db: Kysely<Schema>): Promise<readonly string[]> {
  return applyMigrations(db, sqliteSchema);
}
