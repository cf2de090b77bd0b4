import { statSync } from "node:fs";
import { StorageError } from "./storage-error.ts";

/**
 * Where an open file is. In WAL mode, SQLite does not notice that its file was moved, removed or replaced: it writes on, and at the
 * next start everything since then is gone.
 */
export class FilePlace {
  readonly #path: string;
  readonly #identity: string | null;

  /** @param path of a file that exists */
  constructor(path: string) {
    this.#path = path;
    this.#identity = identify(path);
  }

  /** @throws StorageError when another file, or none, is at its path now */
  check(): void {
    if (identify(this.#path) === this.#identity) return;
    const problem = `${this.#path} was moved, removed or replaced while the service used it: move it back, or restart the service`;
    throw new StorageError("DATABASE_FILE_MOVED", new Error(problem));
  }
}

function identify(path: string): string | null {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file ? `${file.dev}:${file.ino}` : null;
}
