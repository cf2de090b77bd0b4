import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
  if (process.env.TMPDIR === undefined && (await hasRoom()))
    process.env.TMPDIR = await mkdtemp(join(memory, "trainyard-tests-"));
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
