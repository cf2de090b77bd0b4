import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import type { Logger } from "../../ports/code-host/runtime.ts";
import type { DatabaseOwner } from "../sqlite/owner-lock.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { connectionSettings } from "./connection-settings.ts";
import { notReached } from "./postgres-error.ts";

const retryMs = 1_000;
const [ours, lock] = advisoryLocks.owner;
/** PostgreSQL cuts longer names of applications. */
const mostCharacters = 63;

/** Nothing may end the transaction while the service runs, and the server must soon notice the loss of the machine. */
const begin = [
  "begin",
  "set local idle_in_transaction_session_timeout = 0",
  "set local tcp_keepalives_idle = 10",
  "set local tcp_keepalives_interval = 5",
  "set local tcp_keepalives_count = 3",
].join("; ");
const tryToLock = {
  shared: `select pg_try_advisory_xact_lock_shared(${ours}, ${lock}) as "isTaken"`,
  alone: `select pg_try_advisory_xact_lock(${ours}, ${lock}) as "isTaken"`,
};
const readOwner = `
  select application_name as name, xact_start as since
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and classid = ${ours} and objid = ${lock}
    and pg_locks.database = (select oid from pg_database where datname = current_database())`;

interface OwnerRow {
  readonly name: string;
  readonly since: Date | null;
}

/** `shared`: with other services. `alone`: a command that must not run beside a service. */
export type OwnerMode = keyof typeof tryToLock;

/**
 * The lock of a process that uses a PostgreSQL database: an open transaction that changes nothing, so it works
 * through a pooler, does not delay vacuum, and ends with its connection, however the process ends.
 */
export class PostgresOwner {
  readonly #databaseUrl: string;
  readonly #owner: DatabaseOwner;
  readonly #mode: OwnerMode;
  readonly #log: Pick<Logger, "warn" | "info">;
  #client: Client;
  #isReleased = false;

  private constructor(
    databaseUrl: string,
    owner: DatabaseOwner,
    mode: OwnerMode,
    log: Pick<Logger, "warn" | "info">,
    client: Client,
  ) {
    this.#databaseUrl = databaseUrl;
    this.#owner = owner;
    this.#mode = mode;
    this.#log = log;
    this.#client = client;
    this.#watch(client);
  }

  /**
   * Takes the lock, or returns its holder; a null holder means that it has just ended.
   *
   * @throws Error when the database is not reached.
   */
  static async take(
    databaseUrl: string,
    owner: DatabaseOwner,
    mode: OwnerMode,
    log: Pick<Logger, "warn" | "info">,
  ): Promise<PostgresOwner | { readonly heldBy: DatabaseOwner | null }> {
    const taken = await tryToTake(databaseUrl, owner, mode);
    return taken instanceof Client ? new PostgresOwner(databaseUrl, owner, mode, log, taken) : taken;
  }

  release(): void {
    this.#isReleased = true;
    // The server ends the transaction when the connection ends.
    this.#client.end().catch(() => {});
  }

  #watch(client: Client): void {
    client.once("end", () => {
      if (!this.#isReleased) void this.#takeAgain();
    });
  }

  /** Takes the lock again after it was lost. Until then, another process may take it. */
  async #takeAgain(): Promise<void> {
    this.#log.warn({ code: "DATABASE_LOCK_LOST" }, "the connection that locks the database was lost");
    while (!this.#isReleased) {
      const taken = await tryToTake(this.#databaseUrl, this.#owner, this.#mode).catch(() => null);
      if (taken instanceof Client) {
        this.#client = taken;
        if (this.#isReleased) return this.release();
        this.#watch(taken);
        this.#log.info({ code: "DATABASE_LOCKED" }, "the database is locked again");
        return;
      }
      await setTimeout(retryMs, undefined, { ref: false });
    }
  }
}

async function tryToTake(
  databaseUrl: string,
  owner: DatabaseOwner,
  mode: OwnerMode,
): Promise<Client | { readonly heldBy: DatabaseOwner | null }> {
  const client = new Client({
    ...connectionSettings(databaseUrl, process.env),
    application_name: nameOf(owner),
  });
  // Without a listener, a lost connection would end the process.
  client.on("error", () => {});
  await client.connect().catch((error: unknown) => {
    throw notReached(error);
  });
  try {
    await client.query(begin);
    const { rows } = await client.query<{ isTaken: boolean }>(tryToLock[mode]);
    if (rows[0]?.isTaken) return client;
    const found = await client.query<OwnerRow>(readOwner);
    await client.end();
    return { heldBy: found.rows[0] ? ownerOf(found.rows[0]) : null };
  } catch (error) {
    await client.end();
    throw error;
  }
}

function nameOf({ pid, host }: DatabaseOwner): string {
  return `trainyard ${pid} ${host}`.slice(0, mostCharacters);
}

function ownerOf({ name, since }: OwnerRow): DatabaseOwner | null {
  const [, pid, host = ""] = /^trainyard (\d+) (.*)$/.exec(name) ?? [];
  return pid === undefined ? null : { pid: Number(pid), host, since: since?.getTime() ?? 0 };
}
