import { chmodSync, closeSync, openSync, statSync } from "node:fs";

const ours = 0o600;
const othersBits = 0o077;
/** The database, and the files that SQLite and we keep beside it. */
const suffixes = ["", "-wal", "-shm", "-journal", "-owner"];

/**
 * Creates a file that only its owner can read, regardless of the umask. An existing file stays unchanged.
 * SQLite gives its other files the permissions of the database.
 *
 * Hazard: an existing file must not be opened. Closing it again would release every lock that this process
 * has on it.
 */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", ours));
  } catch (error) {
    if (!isThere(error)) throw error;
  }
}

function isThere(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "EEXIST";
}

/**
 * Removes the permissions of others on the files of a database. Returns the changed files.
 *
 * @throws Error when that is not permitted; then the file's owner must do it.
 */
export function tightenFiles(database: string): readonly string[] {
  // Windows has no such permissions.
  if (process.platform === "win32") return [];
  return suffixes.map((suffix) => database + suffix).filter(tighten);
}

function tighten(path: string): boolean {
  const before = statSync(path, { throwIfNoEntry: false });
  if (!before?.isFile() || (before.mode & othersBits) === 0) return false;
  try {
    chmodSync(path, before.mode & ours);
  } catch (error) {
    throw new Error(`others may read ${path}, which holds secrets: as its owner, run chmod 600 on it`, {
      cause: error,
    });
  }
  return true;
}
