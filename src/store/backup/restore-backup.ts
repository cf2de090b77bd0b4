import { copyFileSync, existsSync, linkSync, realpathSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { copyFile } from "./copy-file.ts";
import type { RowCounts } from "./examine-file.ts";
import { flush, flushDirectory } from "./write-backup.ts";

export interface Restored {
  readonly counts: RowCounts;
  /** Where the previous database is now; null when there was none. */
  readonly replaced: string | null;
}

/**
 * Replaces a SQLite database by a backup. The previous one stays beside it. No service may use the database.
 *
 * The backup is copied and verified first. Then the previous log is moved away before the database is replaced:
 * SQLite would apply it to the new one. There is a database at each moment, because a service that starts would
 * otherwise create an empty one.
 *
 * @param now names the previous database.
 * @throws Error when the backup is damaged, or another version's; then nothing has changed.
 */
export async function restoreBackup(file: string, named: string, now: Date): Promise<Restored> {
  // If the path is a link, it remains one.
  const database = existsSync(named) ? realpathSync(named) : named;
  const restored = `${database}.restoring`;
  // A killed restore has left this file. No other process writes to it, because this process owns the database.
  rmSync(restored, { force: true });
  const counts = await copyFile(file, restored);
  flush(restored);
  const replaced = existsSync(database) ? `${database}.replaced-${stamp(now)}` : null;
  if (replaced !== null) {
    emptyLog(database);
    keepUnder(database, replaced);
    if (existsSync(`${database}-wal`)) renameSync(`${database}-wal`, `${replaced}-wal`);
    rmSync(`${database}-shm`, { force: true });
  }
  renameSync(restored, database);
  flushDirectory(database);
  return { counts, replaced };
}

/** Applies and empties the log, so that a restore that is killed between two steps leaves a complete database. */
function emptyLog(database: string): void {
  try {
    const connection = new DatabaseSync(database);
    connection.exec("pragma wal_checkpoint(truncate)");
    connection.close();
  } catch {
    // The database is damaged, which is a reason to restore a backup. Its log stays beside it.
  }
}

/** Some file systems have no links. */
function keepUnder(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch (error) {
    if (existsSync(name)) throw error;
    copyFileSync(path, name);
  }
}

/** Such as 20300131T235959Z. */
function stamp(now: Date): string {
  return now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
}
