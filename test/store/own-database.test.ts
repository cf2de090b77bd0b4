import { mkdir, symlink } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { type Ownership, ownDatabase } from "../../src/store/sqlite/own-database.ts";
import { databaseOn, postgresServer } from "../postgres/postgres-server.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

describe("the ownership of a database", () => {
  let file: SqliteFile;
  let logged: string[];
  const taken: Ownership[] = [];

  beforeEach(async () => {
    file = await createSqliteFile();
    logged = [];
  });
  afterEach(async () => {
    for (const ownership of taken.splice(0)) release(ownership);
    await file.remove();
  });

  async function own(path = file.path, waitMs = 0, stop = new AbortController().signal): Promise<Ownership> {
    const write = (_fields: object, message: string) => void logged.push(message);
    const log = { debug: write, info: write, warn: write, error: write };
    const ownership = await ownDatabase(`sqlite:${path}`, { waitMs, log, stop });
    taken.push(ownership);
    return ownership;
  }

  it("belongs to one service, and the next one learns which process has it", async () => {
    expect((await own()).kind).toBe("owned");
    const second = await own();
    expect(second.kind).toBe("in_use");
    expect("problem" in second && second.problem).toContain(`process ${process.pid} on ${hostname()}`);
  });

  it("goes to exactly one of many concurrent services", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => own()));
    expect(all.filter(({ kind }) => kind === "owned")).toHaveLength(1);
  });

  it("goes to a waiting service when it is released", async () => {
    const first = await own();
    const second = own(file.path, 60_000);
    while (logged.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(logged).toEqual([expect.stringContaining("waiting for it to end")]);
    release(first);
    expect((await second).kind).toBe("owned");
    expect((await own()).kind).toBe("in_use");
  });

  it("is no longer waited for by a service that is stopped", async () => {
    await own();
    const stop = new AbortController();
    const second = own(file.path, 60_000, stop.signal);
    stop.abort("SIGTERM");
    expect((await second).kind).toBe("stopped");
  });

  it("on PostgreSQL is waited for while the server is down, and refused at once when it cannot be had", async () => {
    const server = new URL(await postgresServer());
    const proxy = createServer((socket) => {
      const upstream = connect(Number(server.port), server.hostname);
      socket.on("error", () => upstream.destroy()).pipe(upstream);
      upstream.on("error", () => socket.destroy()).pipe(socket);
    });
    const port = await freePort();
    const url = new URL(databaseOn(server.href.replace(/\/$/, ""), "postgres"));
    url.port = String(port);
    const own = (to: URL) => {
      const write = (_fields: object, message: string) => void logged.push(message);
      const log = { debug: write, info: write, warn: write, error: write };
      return ownDatabase(to.href, { waitMs: 60_000, log, stop: new AbortController().signal });
    };
    const waiting = own(url);
    while (logged.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(logged).toEqual([expect.stringMatching(/ECONNREFUSED.*waiting for it to answer/)]);
    proxy.listen(port, "127.0.0.1");
    const ownership = await waiting;
    expect(ownership.kind).toBe("owned");
    url.pathname = "/nothing";
    await expect(own(url)).rejects.toThrow(/database "nothing" does not exist/);
    release(ownership);
    await new Promise((resolve) => proxy.close(resolve));
  });

  it("is the same for all paths to the database", async () => {
    await (await file.open()).close();
    const link = join(file.directory, "link.db");
    await symlink(file.path, link);
    expect((await own()).kind).toBe("owned");
    expect((await own(link)).kind).toBe("in_use");
  });

  it("does not prevent opening the database, and does not affect other databases", async () => {
    await own(join(file.directory, "new", "trainyard.db"));
    await own();
    const store = await file.open();
    await store.cursors.put("name", "value");
    await store.close();
    expect((await own(join(file.directory, "other.db"))).kind).toBe("owned");
    expect((await own(":memory:")).kind).toBe("owned");
    expect((await own(":memory:")).kind).toBe("owned");
  });

  it("fails with the reason when the lock cannot be taken", async () => {
    await mkdir(`${file.path}-owner`);
    await expect(own()).rejects.toThrow(/the database .* cannot be locked.*on a local file system/);
  });
});

function release(ownership: Ownership): void {
  if (ownership.kind === "owned") ownership.release();
}
