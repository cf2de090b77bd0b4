import { chmod, mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callThisMachineDirectly } from "../../src/cli/proxies.ts";
import { bundleService } from "./bundle-service.ts";

const memory = "/dev/shm";
/** The temporary files of all tests together stay far below this size. */
const enoughBytes = 4 * 2 ** 30;

/**
 * Keeps the tests' temporary files in memory if there is room, because hundreds of databases are flushed and
 * repositories are written whose files nobody reads again. The compile cache of Node.js stays on disk, where
 * later runs find it.
 */
export default async function setUp(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");
  if (process.env.TMPDIR === undefined && (await hasRoom())) {
    process.env.TMPDIR = await mkdtemp(join(memory, "trainyard-tests-"));
    // PostgreSQL runs as another user when the tests run as root.
    await chmod(process.env.TMPDIR, 0o711);
  }
  callThisMachineDirectly();
  // A run of some files starts few services, and shows where in the sources they fail.
  if (process.env.TRAINYARD_TESTS !== "all") process.env.TRAINYARD_MAIN = await bundleService();
  await preparePostgres((await hasRoom()) ? memory : tmpdir());
}

/**
 * Gives the run a directory for a PostgreSQL server, which the first test that needs one starts. It cannot be
 * in the directory above: the server runs as another user when the tests run as root.
 */
async function preparePostgres(parent: string): Promise<void> {
  const directory = await mkdtemp(join(parent, "trainyard-postgres-"));
  await chmod(directory, 0o711);
  process.env.TRAINYARD_TESTS_POSTGRES = directory;
  process.env.TRAINYARD_TESTS_PID = String(process.pid);
}

/** Whether there is a file system in memory, as on Linux, with enough room. */
async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize >= enoughBytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
