import { existsSync } from "node:fs";
import type { Command } from "commander";
import { restoreBackup } from "../../store/backup/restore-backup.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { printCounts, reportFailure, requireDatabaseUrl, whileAlone } from "./on-database.ts";

/** Adds the argument of `trainyard restore`, and what it does. */
export function defineRestore(command: Command): void {
  command
    .argument("<file>", 'a backup of "trainyard backup"')
    .addHelpText(
      "after",
      `
Verifies the backup, and replaces the SQLite database in DATABASE_URL with it. Stop the service first. The previous database stays
beside the new one, as PATH.replaced-TIME.

For PostgreSQL, use pg_restore or the backups of your provider.`,
    )
    .action(async (file: string) => {
      process.exitCode = await restore(file);
    });
}

async function restore(file: string): Promise<number> {
  try {
    const databaseUrl = requireDatabaseUrl();
    const location = parseDatabaseUrl(databaseUrl);
    if (location.kind === "postgres")
      throw new Error('This database is PostgreSQL: run pg_restore --clean --dbname="$DATABASE_URL" FILE');
    if (location.kind !== "sqlite") throw new Error("DATABASE_URL names no SQLite database");
    if (!existsSync(file)) throw new Error(`There is no file ${file}`);
    const { path } = location;
    const { counts, replaced } = await whileAlone(databaseUrl, () => restoreBackup(file, path, new Date()));
    printCounts(counts);
    if (replaced !== null) console.log(`The previous database is ${replaced}.`);
    console.log(`The database ${path} is the backup ${file} now.`);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}
