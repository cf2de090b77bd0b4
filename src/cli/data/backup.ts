import { existsSync } from "node:fs";
import type { Command } from "commander";
import { writeBackup } from "../../store/backup/write-backup.ts";
import { DatabaseProblem } from "../../store/schema/database-problem.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { requireDatabaseUrl } from "../named-database.ts";
import { onDatabase, renderCounts } from "./on-database.ts";

/** Adds the argument of `trainyard backup`, and what it does. */
export function defineBackup(command: Command): void {
  command
    .argument("<file>", "where to write it; the file must not exist")
    .option("--json", "print the number of rows of each table as JSON")
    .addHelpText(
      "after",
      `
Writes a backup of the SQLite database in DATABASE_URL to a new file, also while the service runs, and verifies it. The file
holds secrets: only its owner can read it. "trainyard restore FILE" is the way back.

For PostgreSQL, use pg_dump or the backups of your provider.`,
    )
    .action((file: string, options: { readonly json?: true }) =>
      onDatabase(options, async (print) => {
        const counts = await writeBackup(readPath(), file);
        print({ file, rows: Object.fromEntries(counts) }, () => [
          ...renderCounts(counts),
          `The backup ${file} is complete and verified.`,
        ]);
        return 0;
      }),
    );
}

function readPath(): string {
  const location = parseDatabaseUrl(requireDatabaseUrl());
  if (location.kind === "postgres")
    throw new DatabaseProblem(
      "DATABASE_KIND_NOT_SUPPORTED",
      'This database is PostgreSQL: run pg_dump --format=custom --file=FILE "$DATABASE_URL"',
    );
  if (location.kind !== "sqlite" || !existsSync(location.path))
    throw new DatabaseProblem("DATABASE_MISSING", "There is no database in DATABASE_URL");
  return location.path;
}
