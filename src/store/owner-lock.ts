import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./is-busy.ts";
import { createPrivately } from "./private-files.ts";

/** Who has a database file, for the message of whoever wants it, too. */
export interface DatabaseOwner {
  readonly pid: number;
  readonly host: string;
  /** In milliseconds since the epoch. */
  readonly since: number;
}

/** Long enough for another process to read or write one row; the event loop stands still meanwhile. */
const nativeWaitMs = 20;

/**
 * A lock on a small SQLite file of its own beside the database. The operating system holds it for the process and lets go when
 * that ends, however it ends: a service that was killed can be started again at once, which a heartbeat would forbid.
 *
 * What holds the lock is a write transaction that writes nothing. It keeps every other writer out and lets readers see who it is.
 */
export class OwnerLock {
  readonly #connection: DatabaseSync;

  private constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  /**
   * Takes the lock, or answers who has it; null when that cannot be read at this moment.
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
      // Between the two transactions another process may have come, written its name, and gone on to wait.
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
    // It is being written, or was never. The next look will tell.
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
