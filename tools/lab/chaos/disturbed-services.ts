import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openStore } from "../../../src/store/sqlite/open-store.ts";
import { type DatabaseKind, LocalPostgres, withClient } from "../postgres.ts";
import { findDoubleClaims, watchClaims } from "../replicas/replicas.ts";
import { deployReplicas, type ReplicaSet } from "../service/replica-set.ts";
import type { Deployed, Place } from "../world.ts";
import { fileVariable, noFaults, type ProcessFaults, writeProcessFaults } from "./preload.ts";

/** Services whose database and clocks can be disturbed. */
export interface DisturbedServices extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly storeFaults: readonly StoreFault[];
  readonly services: number;
  deploy(place: Place): Promise<Deployed>;
  /** Sets how far the clock of a service is ahead; negative = behind. */
  setClock(service: number, ms: number): void;
  /** Describes pieces of work that two services held at the same time. */
  findDoubleClaims(): Promise<readonly string[]>;
  /** Writes a file to a directory that is kept. Returns its path. */
  keep(name: string, text: string): Promise<string>;
}

const preload = pathToFileURL(join(import.meta.dirname, "preload.ts")).href;
/** Several services cannot share SQLite. */
const servicesOn = { sqlite: 1, postgres: 3 } as const;

export async function createDisturbedServices(kind: DatabaseKind, seed: number): Promise<DisturbedServices> {
  await using resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "trainyard-chaos-"));
  let isKept = false;
  resources.defer(async () => {
    if (!isKept) await rm(directory, { recursive: true, force: true });
  });
  const services = servicesOn[kind];
  const files = Array.from({ length: services }, (_, index) => join(directory, `faults-${index}.json`));
  const now = files.map(() => ({ ...noFaults }));
  const disturb = (index: number, change: Partial<typeof noFaults>) => {
    now[index] = { ...(now[index] ?? noFaults), ...change };
    writeProcessFaults(files[index] ?? "", now[index]);
  };
  for (const index of files.keys()) disturb(index, noFaults);

  let set: ReplicaSet | null = null;
  const place = kind === "postgres" ? await onPostgres() : onSqlite();
  const { databaseUrl, storeFaults } = place;
  const kept = resources.move();
  return {
    ...{ databaseUrl, storeFaults, services },
    async deploy(place) {
      const env = (index: number) => ({
        NODE_OPTIONS: `--import=${preload}`,
        [fileVariable]: files[index] ?? "",
      });
      const deployed = await deployReplicas({ ...place, databaseUrl, replicas: services, seed, env });
      set = deployed.service;
      return deployed;
    },
    setClock: (service, clockMs) => disturb(service, { clockMs }),
    findDoubleClaims: async () => (kind === "postgres" ? await findDoubleClaims(databaseUrl) : []),
    async keep(name, text) {
      isKept = true;
      await writeFile(join(directory, name), text);
      return join(directory, name);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };

  function onSqlite() {
    const path = join(directory, "trainyard.db");
    const pids = () => set?.pids ?? [];
    return {
      databaseUrl: `sqlite:${path}`,
      storeFaults: sqliteFaults({ path, pids, refuse: (store) => disturb(0, { store }) }),
    };
  }

  async function onPostgres() {
    const server = await LocalPostgres.create(directory, { max_connections: 200 });
    resources.defer(() => server.stop());
    const databaseUrl = `${server.url}/postgres`;
    await (await openStore(databaseUrl)).close();
    await watchClaims(databaseUrl);
    return { databaseUrl, storeFaults: postgresFaults(server, databaseUrl) };
  }
}

/** A way in which the database fails for some time. */
export interface StoreFault {
  readonly name: string;
  /** Makes the database fail until `passes` resolves. */
  strike(passes: () => Promise<void>): Promise<void>;
}

/** Creates a fault from its beginning and its end. */
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
  /** The process ids of the services that currently run. */
  readonly pids: () => readonly number[];
  /** Tells the services what their database refuses. */
  readonly refuse: (store: ProcessFaults["store"]) => void;
}

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
    // The kernel lets no file of the process grow. The log is a pipe.
    () => limitFiles(pids(), "4096:unlimited"),
    () => limitFiles(pids(), "unlimited:unlimited"),
  ),
  lockedFile(path),
];

async function limitFiles(pids: readonly number[], bytes: string): Promise<void> {
  for (const pid of pids) await run("prlimit", [`--pid=${pid}`, `--fsize=${bytes}`]).catch(gone);

  function gone(error: unknown): void {
    // The service was killed at this moment.
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

/**
 * PostgreSQL cancels the session that detects a deadlock. This session never searches for one, so a session of the service is cancelled.
 */
const neverTheVictim = "set deadlock_timeout = '1h'";

const busyTables = ["events", "outbox", "inbox"] as const;

/** The faults of a PostgreSQL server. The database has to contain the schema. */
export function postgresFaults(server: LocalPostgres, databaseUrl: string): readonly StoreFault[] {
  const execute = (sql: string) =>
    withClient(databaseUrl, async (client) => {
      await client.query(neverTheVictim);
      await client.query(sql);
    });

  /** A share of the statements that write fail with this SQLSTATE. */
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

/** The server's processes are suspended, and their connections stay open. */
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
    // The process has ended, because its client was killed.
    if (!String(error).includes("ESRCH")) throw error;
  }
}
