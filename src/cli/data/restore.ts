import { existsSync } from "node:fs";
import { restoreBackup } from "../../store/backup/restore-backup.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import {
  parseFileArgument,
  printCounts,
  reportFailure,
  requireDatabaseUrl,
  whileAlone,
} from "./on-database.ts";

const usage = `Usage: trainyard restore FILE

Verifies a backup of "trainyard backup", and replaces the SQLite database in DATABASE_URL with it. Stop the service first. The
previous database stays beside the new one, as PATH.replaced-TIME.

For PostgreSQL, use pg_restore or the backups of your provider.`;

/** `trainyard restore`: replaces a SQLite database by a backup. Returns the exit code. */
export async function restore(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const argument = parseFileArgument(argv, "restore");
  if ("problem" in argument) {
    console.error(argument.problem);
    return 2;
  }
  const { file } = argument;
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
