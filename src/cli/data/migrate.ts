import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { renderOptionProblem } from "../../command/option-problem.ts";
import { applyMigrations } from "../../store/schema/apply-migrations.ts";
import { openSchema } from "../../store/schema/open-schema.ts";
import { readSchemaState } from "../../store/schema/read-schema-state.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { sqliteSchema } from "../../store/sqlite/sqlite-schema.ts";
import { nameDatabase } from "../named-database.ts";
import { reportFailure, requireDatabaseUrl, whileAlone } from "./on-database.ts";

const usage = `Usage: trainyard migrate [--check]

Shows the migrations that the database in DATABASE_URL lacks, and applies them in one transaction. Each start of the service
does the same. It refuses while a service uses the database.

  --check, --dry-run  only show them; the exit code is 1 when there are any`;

const options = {
  check: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
} as const;

/** How long to wait for another process that migrates. */
const waitMs = 3_000;

/** `trainyard migrate`: shows and applies pending migrations. Returns the exit code. */
export async function migrate(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  let isCheck: boolean;
  try {
    const { values } = parseArgs({ args: [...argv], options });
    isCheck = values.check || values["dry-run"];
  } catch (error) {
    console.error(renderOptionProblem(error, "migrate", Object.keys(options)));
    return 2;
  }
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
