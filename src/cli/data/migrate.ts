import { existsSync } from "node:fs";
import type { Command } from "commander";
import { openSchema } from "../../store/schema/open-schema.ts";
import { readSchemaState } from "../../store/schema/read-schema-state.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { sqliteSchema } from "../../store/sqlite/sqlite-schema.ts";
import { nameDatabase, requireDatabaseUrl } from "../named-database.ts";
import type { printerOf } from "../print-json.ts";
import { applyPending, onDatabase, whileAlone } from "./on-database.ts";

/** Adds the options of `trainyard migrate`, and what it does. */
export function defineMigrate(command: Command): void {
  command
    .option("--check", "only show them")
    .option("--dry-run", "the same")
    .option("--json", "print the migrations that are pending, and that were applied, as JSON")
    .addHelpText(
      "after",
      `
Shows the migrations that the database in DATABASE_URL lacks, and applies them in one transaction. Each start of the service
does the same. It refuses while a service uses the database.`,
    )
    .action((options: { readonly check?: true; readonly dryRun?: true; readonly json?: true }) =>
      onDatabase(options, (print) => migrate(options.check ?? options.dryRun ?? false, print)),
    );
}

/** How long to wait for another process that migrates. */
const waitMs = 3_000;

async function migrate(isCheck: boolean, print: ReturnType<typeof printerOf>): Promise<number> {
  const databaseUrl = requireDatabaseUrl();
  const database = nameDatabase(databaseUrl);
  const found = await readPending(databaseUrl);
  const isDone = found.length === 0 || isCheck;
  const applied = isDone ? [] : await whileAlone(databaseUrl, () => applyPending(databaseUrl), waitMs);
  const pending = isCheck ? found : [];
  print({ database, pending, applied }, () => [
    ...pending.map((migration) => `pending  ${migration}`),
    ...applied.map((migration) => `applied  ${migration}`),
    ...(pending.length === 0 ? [`The database ${database} is up to date.`] : []),
  ]);
  return pending.length > 0 ? 1 : 0;
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
