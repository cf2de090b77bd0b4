import { existsSync } from "node:fs";
import type { Command } from "commander";
import { applyMigrations } from "../../store/schema/apply-migrations.ts";
import { openSchema } from "../../store/schema/open-schema.ts";
import { readSchemaState } from "../../store/schema/read-schema-state.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { sqliteSchema } from "../../store/sqlite/sqlite-schema.ts";
import { nameDatabase } from "../named-database.ts";
import { reportFailure, requireDatabaseUrl, whileAlone } from "./on-database.ts";

/** Adds the options of `trainyard migrate`, and what it does. */
export function defineMigrate(command: Command): void {
  command
    .option("--check", "only show them")
    .option("--dry-run", "the same")
    .addHelpText(
      "after",
      `
Shows the migrations that the database in DATABASE_URL lacks, and applies them in one transaction. Each start of the service
does the same. It refuses while a service uses the database.`,
    )
    .action(async ({ check, dryRun }: { readonly check?: true; readonly dryRun?: true }) => {
      process.exitCode = await migrate(check ?? dryRun ?? false);
    });
}

/** How long to wait for another process that migrates. */
const waitMs = 3_000;

async function migrate(isCheck: boolean): Promise<number> {
  try {
    const databaseUrl = requireDatabaseUrl();
    const name = nameDatabase(databaseUrl);
    const pending = await readPending(databaseUrl);
    if (pending.length === 0) console.log(`The database ${name} is up to date.`);
    for (const migration of pending) console.log(`pending  ${migration}`);
    if (pending.length === 0 || isCheck) return pending.length > 0 ? 1 : 0;
    const applied = await whileAlone(databaseUrl, () => applyPending(databaseUrl), waitMs);
    for (const migration of applied) console.log(`applied  ${migration}`);
    console.log(`The database ${name} is up to date.`);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

async function readPending(databaseUrl: string): Promise<readonly string[]> {
  const location = parseDatabaseUrl(databaseUrl);
  // `--check` must not create a database.
  if (location.kind === "sqlite" && !existsSync(location.path)) return Object.keys(sqliteSchema.migrations);
  const { db, kind } = await openSchema(databaseUrl, "read");
  try {
    return (await readSchemaState(db, kind)).pending;
  } finally {
    await db.destroy();
  }
}

async function applyPending(databaseUrl: string): Promise<readonly string[]> {
  const { db, kind } = await openSchema(databaseUrl, "write");
  try {
    return await applyMigrations(db, kind);
  } finally {
    await db.destroy();
  }
}
