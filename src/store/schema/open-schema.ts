import { existsSync } from "node:fs";
import type { Kysely } from "kysely";
import { connectSqlite } from "../sqlite/connect-sqlite.ts";
import { parseDatabaseUrl } from "../sqlite/database-url.ts";
import { sqliteSchema } from "../sqlite/sqlite-schema.ts";
import { DatabaseProblem } from "./database-problem.ts";
import type { SchemaKind } from "./schema-kind.ts";

/** A database whose schema may differ from what this version needs. Opening it changes nothing. */
export interface OpenedSchema {
  readonly db: Kysely<unknown>;
  readonly kind: SchemaKind;
  readonly name: "SQLite" | "PostgreSQL";
}

/**
 * Opens a database as it is.
 *
 * @param mode `read` opens an existing SQLite file for reading only.
 * @throws DatabaseProblem when there is no such database, or it cannot be reached; one line that says what to do.
 */
export async function openSchema(databaseUrl: string, mode: "read" | "write"): Promise<OpenedSchema> {
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind === "postgres") {
    const { connectPostgres } = await import("../postgres/connect-postgres.ts");
    const { postgresSchema } = await import("../postgres/postgres-schema.ts");
    const { reachPostgres } = await import("../postgres/postgres-error.ts");
    const db = connectPostgres(databaseUrl) as Kysely<unknown>;
    try {
      await reachPostgres(db);
    } catch (error) {
      await db.destroy();
      throw error;
    }
    return { db, kind: postgresSchema, name: "PostgreSQL" };
  }
  if (location.kind !== "sqlite" || location.path === ":memory:")
    throw new DatabaseProblem(
      "DATABASE_MISSING",
      "name a database, as in sqlite:trainyard.db or postgres://user:password@host/database",
    );
  if (mode === "read" && !existsSync(location.path))
    throw new DatabaseProblem("DATABASE_MISSING", `there is no database at ${location.path}`);
  return { db: connectSqlite<unknown>(location.path, mode === "read"), kind: sqliteSchema, name: "SQLite" };
}
