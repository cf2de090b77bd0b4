import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../src/store/sqlite/open-store.ts";

/** A database file that does not exist yet, in a separate directory. */
export class SqliteFile {
  readonly directory: string;
  readonly path: string;

  constructor(directory: string) {
    this.directory = directory;
    this.path = join(directory, "trainyard.db");
  }

  open(): Promise<Store> {
    return openStore(`sqlite:${this.path}`);
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

export async function createSqliteFile(): Promise<SqliteFile> {
  return new SqliteFile(await mkdtemp(join(tmpdir(), "trainyard-store-")));
}
