import { statSync } from "node:fs";
import { StorageError } from "./storage-error.ts";

/**
 * Where the open files of a database are. In WAL mode, SQLite does not notice that they were moved, removed or replaced: it continues to
 * write, and at the next start these writes are lost.
 */
export class FilePlace {
  /** Of the files that exist, by path. */
  readonly #identities: ReadonlyMap<string, string | null>;

  /** @param path of a database that is open, so that its log exists, too */
  constructor(path: string) {
    const files = [path, `${path}-wal`].map((file) => [file, identify(file)] as const);
    this.#identities = new Map(files.filter(([, identity]) => identity !== null));
  }

  /** @throws StorageError when another file, or none, is at one of the paths now */
  check(): void {
    for (const [path, identity] of this.#identities) {
      if (identify(path) === identity) continue;
      const problem = `${path} was moved, removed or replaced while the service used it: move it back, or restart the service`;
      throw new StorageError("DATABASE_FILE_MOVED", new Error(problem));
    }
  }
}

/** Returns null when there is no such file. */
function identify(path: string): string | null {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file ? `${file.dev}:${file.ino}` : null;
}
