import { execFile } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { type LocalPostgres, withClient } from "../postgres.ts";
import type { ProcessFaults } from "./preload.ts";

/** A way in which the database fails for a while. */
export interface StoreFault {
  readonly name: string;
  /** Lets the database fail until `passes` resolves. */
  strike(passes: () => Promise<void>): Promise<void>;
}

/** Makes a fault of what begins and ends it. */
export const lasting = (
  name: string,
  begin: () => Promise<unknown>,
  end: () => Promise<unknown>,
): StoreFault => ({
  name,
  async strike(passes) {
    await begin();
    try {
      await passes();
    } finally {
      await end();
    }
  },
});

const run = promisify(execFile);

interface SqlitePlace {
  readonly path: string;
  /** The process ids of the services that run at the moment. */
  readonly pids: () => readonly number[];
  /** Tells the services what their database refuses. */
  readonly refuse: (store: ProcessFaults["store"]) => void;
}

/** The faults of a SQLite file. */
export const sqliteFaults = ({ path, pids, refuse }: SqlitePlace): readonly StoreFault[] => [
  ...(["disk_full", "read_only"] as const).map((store) =>
    lasting(
      store,
      async () => refuse(store),
      async () => refuse(null),
    ),
  ),
  lasting(
    "write_failed",
    // The kernel refuses to let any file of the process grow. The log is a pipe.
    () => limitFiles(pids(), "4096:unlimited"),
    () => limitFiles(pids(), "unlimited:unlimited"),
  ),
  lockedFile(path),
];

async function limitFiles(pids: readonly number[], bytes: string): Promise<void> {
  for (const pid of pids) await run("prlimit", [`--pid=${pid}`, `--fsize=${bytes}`]).catch(gone);

  function gone(error: unknown): void {
    // The service was killed in this moment.
    if (!String(error).includes("No such process")) throw error;
  }
}

/** Another process holds the write lock. */
const lockedFile = (path: string): StoreFault => ({
  name: "locked",
  async strike(passes) {
    const other = new DatabaseSync(path, { timeout: 2_000 });
    try {
      other.exec("begin immediate");
      await passes();
      other.exec("rollback");
    } finally {
      other.close();
    }
  },
});

/** PostgreSQL cancels the session that detects a deadlock. This session never looks for one, so a session of the service is cancelled. */
const neverTheVictim = "set deadlock_timeout = '1h'";

const busyTables = ["events", "outbox", "inbox"] as const;

/** The faults of a PostgreSQL server. The database has to contain the schema. */
export function postgresFaults(server: LocalPostgres, databaseUrl: string): readonly StoreFault[] {
  const execute = (sql: string) =>
    withClient(databaseUrl, async (client) => {
      await client.query(neverTheVictim);
      await client.query(sql);
    });

  /** Statements that write fail with this SQLSTATE, a share of them. */
  const refused = (name: string, sqlState: string, share: number): StoreFault =>
    lasting(
      name,
      () =>
        execute(
          `begin;
           create or replace function refuse_${name}() returns trigger language plpgsql as $$
           begin
             if random() < ${share} then raise exception '${name}' using errcode = '${sqlState}'; end if;
             return new;
           end $$;
           ${busyTables
             .map(
               (table) =>
                 `create trigger refuse_${name} before insert or update on ${table} for each row execute function refuse_${name}();`,
             )
             .join("\n")}
           commit;`,
        ),
      () => execute(busyTables.map((table) => `drop trigger refuse_${name} on ${table};`).join("\n")),
    );

  return [
    lasting(
      "server_down",
      () => server.crash(),
      () => server.start(),
    ),
    lasting(
      "connections_cut",
      () =>
        execute(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        ),
      async () => {},
    ),
    lasting(
      "read_only",
      () => setReadOnly(databaseUrl, true),
      () => setReadOnly(databaseUrl, false),
    ),
    refused("disk_full", "53100", 1),
    refused("serialization", "40001", 0.3),
    lockedTables(databaseUrl),
    frozen(databaseUrl),
  ];
}

async function setReadOnly(databaseUrl: string, isOn: boolean): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query("set default_transaction_read_only = off");
    await client.query(`alter system set default_transaction_read_only = ${isOn ? "on" : "off"}`);
    await client.query("select pg_reload_conf()");
  });
}

/** A session holds locks that every writer needs. */
const lockedTables = (databaseUrl: string): StoreFault => ({
  name: "locked",
  strike: (passes) =>
    withClient(databaseUrl, async (client) => {
      await client.query(neverTheVictim);
      await client.query(`begin; lock table ${busyTables.join(", ")} in exclusive mode`);
      await passes();
      await client.query("rollback");
    }),
});

/** The server's processes stand still, and their connections stay open. */
const frozen = (databaseUrl: string): StoreFault => ({
  name: "frozen",
  async strike(passes) {
    const { rows } = await withClient(databaseUrl, (client) =>
      client.query<{ pid: number }>(
        "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
      ),
    );
    const signal = (name: NodeJS.Signals) => {
      for (const { pid } of rows) send(pid, name);
    };
    signal("SIGSTOP");
    try {
      await passes();
    } finally {
      signal("SIGCONT");
    }
  },
});

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Its client was killed, so it has ended.
    if (!String(error).includes("ESRCH")) throw error;
  }
}
