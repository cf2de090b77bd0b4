import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./is-busy.ts";
import { createPrivately } from "./private-files.ts";

/** The owner of a database file, also shown to processes that wait for it. */
export interface DatabaseOwner {
  readonly pid: number;
  readonly host: string;
  /** In milliseconds since the epoch. */
  readonly since: number;
}

/** Long enough for another process to read or write one row. Waiting blocks the event loop. */
const nativeWaitMs = 20;

/**
 * A lock on a separate small SQLite file beside the database. The operating system holds it for the process
 * and releases it when the process ends, however it ends. A killed service can therefore be restarted at
 * once, which would not be possible with a heartbeat.
 *
 * The lock is an open write transaction without writes. It excludes every other writer, and lets readers read
 * the owner.
 */
export class OwnerLock {
  readonly #connection: DatabaseSync;

  private constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  /**
   * Takes the lock, or returns its holder; a null holder means that it cannot be read at the moment.
   *
   * @throws Error when the file cannot be written or locked.
   */
  static take(path: string, owner: DatabaseOwner): OwnerLock | { readonly heldBy: DatabaseOwner | null } {
    createPrivately(path);
    const connection = new DatabaseSync(path, { timeout: nativeWaitMs });
    try {
      connection.exec("begin immediate");
      connection.exec("create table if not exists owner (pid integer, host text, since integer)");
      connection.exec("delete from owner");
      connection.prepare("insert into owner values (?, ?, ?)").run(owner.pid, owner.host, owner.since);
      connection.exec("commit");
      connection.exec("begin immediate");
      // Between the two transactions, another process may have written its name and then begun to wait.
      const written = readOwner(connection);
      if (written && isSame(written, owner)) return new OwnerLock(connection);
    } catch (error) {
      if (!isBusy(error)) {
        connection.close();
        throw error;
      }
    }
    const heldBy = tryToRead(connection);
    connection.close();
    return { heldBy };
  }

  release(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }
}

function tryToRead(connection: DatabaseSync): DatabaseOwner | null {
  try {
    if (connection.isTransaction) connection.exec("rollback");
    return readOwner(connection);
  } catch {
    // The row is being written, or was never written. The next attempt will show.
    return null;
  }
}

function readOwner(connection: DatabaseSync): DatabaseOwner | null {
  const row = connection.prepare("select pid, host, since from owner").get();
  return row ? { pid: Number(row.pid), host: String(row.host), since: Number(row.since) } : null;
}

function isSame(one: DatabaseOwner, other: DatabaseOwner): boolean {
  return one.pid === other.pid && one.host === other.host && one.since === other.since;
}
