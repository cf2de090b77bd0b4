import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
/** What the temporary files of all tests take at once stays far below. */
const enoughBytes = 4 * 2 ** 30;

/**
 * Keeps the tests' temporary files in memory where there is room: hundreds of databases are flushed, and repositories written,
 * whose files nobody will read again. What Node compiles ahead stays where later runs find it.
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
