import { existsSync } from "node:fs";
import { writeBackup } from "../../store/backup/write-backup.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { parseFileArgument, printCounts, reportFailure, requireDatabaseUrl } from "./on-database.ts";

const usage = `Usage: trainyard backup FILE

Writes a backup of the SQLite database in DATABASE_URL to a new file, also while the service runs, and verifies it. The file
holds secrets: only its owner can read it. "trainyard restore FILE" is the way back.

For PostgreSQL, use pg_dump or the backups of your provider.`;

/** `trainyard backup`: writes a verified backup of a SQLite database. Returns the exit code. */
export async function backup(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const argument = parseFileArgument(argv, "backup");
  if ("problem" in argument) {
    console.error(argument.problem);
    return 2;
  }
  try {
    const location = parseDatabaseUrl(requireDatabaseUrl());
    if (location.kind === "postgres")
      throw new Error('This database is PostgreSQL: run pg_dump --format=custom --file=FILE "$DATABASE_URL"');
    if (location.kind !== "sqlite" || !existsSync(location.path))
      throw new Error("There is no database in DATABASE_URL");
    printCounts(await writeBackup(location.path, argument.file));
    console.log(`The backup ${argument.file} is complete and verified.`);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}
