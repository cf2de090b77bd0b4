import { existsSync } from "node:fs";
import type { Command } from "commander";
import { writeBackup } from "../../store/backup/write-backup.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { printCounts, reportFailure, requireDatabaseUrl } from "./on-database.ts";

/** Adds the argument of `trainyard backup`, and what it does. */
export function defineBackup(command: Command): void {
  command
    .argument("<file>", "where to write it; the file must not exist")
    .addHelpText(
      "after",
      `
Writes a backup of the SQLite database in DATABASE_URL to a new file, also while the service runs, and verifies it. The file
holds secrets: only its owner can read it. "trainyard restore FILE" is the way back.

For PostgreSQL, use pg_dump or the backups of your provider.`,
    )
    .action(async (file: string) => {
      process.exitCode = await backup(file);
    });
}

async function backup(file: string): Promise<number> {
  try {
    const location = parseDatabaseUrl(requireDatabaseUrl());
    if (location.kind === "postgres")
      throw new Error('This database is PostgreSQL: run pg_dump --format=custom --file=FILE "$DATABASE_URL"');
    if (location.kind !== "sqlite" || !existsSync(location.path))
      throw new Error("There is no database in DATABASE_URL");
    printCounts(await writeBackup(location.path, file));
    console.log(`The backup ${file} is complete and verified.`);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}
