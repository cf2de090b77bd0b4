import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalPostgres } from "../../tools/lab/postgres.ts";

/**
 * A process that runs a PostgreSQL server until it is told to stop, or the tests have ended in any way. Then it
 * deletes the server's directory.
 *
 * Arguments: the directory, which must exist, and the process of the tests.
 */
const [directory = "", tests = ""] = process.argv.slice(2);
const lookMs = 500;

const server = await LocalPostgres.create(directory, {
  max_connections: 300,
  // Nobody reads these databases after a crash.
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  // Vacuum would only compete with the tests for the processor.
  autovacuum: "off",
  shared_buffers: "64MB",
  max_wal_size: "512MB",
});
const watch = setInterval(() => {
  if (!isRunning(Number(tests))) void server.stop();
}, lookMs);
process.on("SIGTERM", () => void server.stop());
announce("server.json", JSON.stringify({ url: server.url }));
await server.ended();
writeFileSync(join(directory, "server.log"), server.log);
clearInterval(watch);
rmSync(directory, { recursive: true, force: true });

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
