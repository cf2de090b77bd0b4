import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { DatabaseProblem } from "../schema/database-problem.ts";
import { createPrivately } from "../sqlite/private-files.ts";
import { examineFile, type RowCounts } from "./examine-file.ts";

/** How long SQLite waits for another process, in milliseconds. */
const waitMs = 10_000;

/**
 * Writes what is committed in a database at one moment to a new file that only its owner can read, while others may write to the database,
 * and verifies the file. Returns the number of rows of each table.
 *
 * Rejected: the backup API of SQLite. It restarts whenever another process writes, so it may never end.
 *
 * @throws DatabaseProblem when the file exists, or it is damaged; a damaged file is removed.
 */
export async function copyFile(database: string, file: string): Promise<RowCounts> {
  if (existsSync(file))
    throw new DatabaseProblem(
      "BACKUP_EXISTS",
      `${file} exists: another backup writes it, or one was killed. Remove it, and start again`,
    );
  createPrivately(file);
  try {
    const source = new DatabaseSync(database, { readOnly: true, timeout: waitMs });
    try {
      const logged = lengthOfLog(source);
      source.prepare("vacuum into ?").run(file);
      const counts = await examineFile(file);
      const copied = counts.get("events") ?? 0;
      // Events are never deleted.
      if (copied < logged)
        throw new DatabaseProblem(
          "DATABASE_DAMAGED",
          `${file} has ${copied} events, and ${database} had ${logged}`,
        );
      return counts;
    } finally {
      source.close();
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function lengthOfLog(source: DatabaseSync): number {
  const table = source.prepare("select name from sqlite_master where name = 'events'").get();
  return table ? Number(source.prepare("select count(*) as rows from events").get()?.rows) : 0;
}
