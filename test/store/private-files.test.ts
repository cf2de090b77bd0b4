import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { OwnerLock } from "../../src/store/sqlite/owner-lock.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

describe("the files of a database", () => {
  let file: SqliteFile;
  let umask: number;
  beforeEach(async () => {
    umask = process.umask(0);
    file = await createSqliteFile();
  });
  afterEach(async () => {
    process.umask(umask);
    await file.remove();
  });

  async function modes(): Promise<Record<string, string>> {
    const names = (await readdir(file.directory)).toSorted();
    const found = names.map(async (name) => {
      const { mode } = await stat(join(file.directory, name));
      return [name, (mode & 0o777).toString(8)] as const;
    });
    return Object.fromEntries(await Promise.all(found));
  }

  it("are readable only to their owner, regardless of the umask", async () => {
    const store = await file.open();
    const lock = OwnerLock.take(`${file.path}-owner`, { pid: 1, host: "here", since: 0 });
    await store.cursors.put("name", "value");
    const names = ["trainyard.db", "trainyard.db-owner", "trainyard.db-shm", "trainyard.db-wal"];
    expect(await modes()).toEqual(Object.fromEntries(names.map((name) => [name, "600"])));
    if (lock instanceof OwnerLock) lock.release();
    await store.close();
  });

  it("become private if others could read them, and the log says so", async () => {
    const before = await file.open();
    await before.cursors.put("name", "value");
    for (const name of await readdir(file.directory)) await chmod(join(file.directory, name), 0o664);
    const logged: object[] = [];
    const store = await openStore(file.path, { warn: (fields) => void logged.push(fields) });
    expect(new Set(Object.values(await modes()))).toEqual(new Set(["600"]));
    const suffixes = ["", "-wal", "-shm"];
    expect(logged).toEqual(suffixes.map((suffix) => ({ code: "FILE_TIGHTENED", file: file.path + suffix })));
    expect(await store.cursors.get("name")).toBe("value");
    await store.close();
    await before.close();
  });
});
