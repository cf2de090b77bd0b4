import { closeSync, existsSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseProblem } from "../schema/database-problem.ts";
import { copyFile } from "./copy-file.ts";
import type { RowCounts } from "./examine-file.ts";

/**
 * Writes a verified backup of a SQLite database, also while a service uses it. The file has its name only once it is
 * complete and on disk.
 *
 * @throws Error when the file exists, or the backup failed; then there is no file.
 */
export async function writeBackup(database: string, file: string): Promise<RowCounts> {
  if (existsSync(file))
    throw new DatabaseProblem("BACKUP_EXISTS", `${file} exists, and is not overwritten; choose another name`);
  const partial = `${file}.partial`;
  const counts = await copyFile(database, partial);
  flush(partial);
  renameSync(partial, file);
  flushDirectory(file);
  return counts;
}

export function flush(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Makes the name of a file durable. Windows cannot open directories, and needs no flush. */
export function flushDirectory(path: string): void {
  if (process.platform !== "win32") flush(dirname(path));
}
