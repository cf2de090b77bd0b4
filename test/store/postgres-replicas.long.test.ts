import { afterEach, describe, expect, it } from "@jest/globals";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { withClient } from "../../tools/lab/postgres.ts";
import { buildCommit, buildCreation, buildEvents } from "../contract/build-queue.ts";
import { buildClaim, buildTask } from "../contract/build-task.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";

describe("stores of several processes on one PostgreSQL database", () => {
  const stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  async function open(databaseUrl: string): Promise<Store> {
    const store = await openPostgresStore(databaseUrl);
    stores.push(store);
    return store;
  }

  async function openTwo(): Promise<[Store, Store]> {
    const databaseUrl = await anotherDatabase();
    return [await open(databaseUrl), await open(databaseUrl)];
  }

  it("can all be opened at the same time on an empty database", async () => {
    const databaseUrl = await anotherDatabase("template0");
    const [one, , other] = await Promise.all([open(databaseUrl), open(databaseUrl), open(databaseUrl)]);
    await one?.cursors.put("name", "value");
    expect(await other?.cursors.get("name")).toBe("value");
  });

  it("claim each task once, and the tasks of a stream in the order in which they were added", async () => {
    const [one, other] = await openTwo();
    const added = Array.from({ length: 40 }, (_, index) => index);
    await Promise.all(
      added.map((index) =>
        (index % 2 === 0 ? one : other).outbox.add(buildTask(index, { stream: `stream ${index % 4}` })),
      ),
    );
    const claimed: { id: number; stream: string }[] = [];
    const work = async ({ outbox }: Store) => {
      while ((await outbox.depth()) > 0)
        for (const row of await outbox.claim(buildClaim(1_000, { limit: 3 }))) {
          claimed.push({ id: row.id, stream: row.stream });
          await outbox.settle(row);
        }
    };
    await Promise.all([work(one), work(other)]);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(added.length);
    expect(claimed).toHaveLength(added.length);
    for (const stream of new Set(claimed.map((row) => row.stream))) {
      const ids = claimed.filter((row) => row.stream === stream).map(({ id }) => id);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    }
  });

  it("append an event to a log only once, however many try", async () => {
    const [one, other] = await openTwo();
    await one.queues.commit(buildCreation());
    const commit = () => buildCommit({ events: buildEvents(2, 4) });
    const results = await Promise.all([one, other, one, other].map(({ queues }) => queues.commit(commit())));
    expect(results.sort()).toEqual(["committed", "conflict", "conflict", "conflict"]);
    expect((await other.queues.load("queue-1")).events).toEqual(buildEvents(1, 4));
  });

  it("add up the steps of all processes in a counter", async () => {
    const [one, other] = await openTwo();
    const step = { organisation: "acme", series: "merged", by: 1 };
    await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 ? one : other).meters.add([step])));
    expect(await one.meters.read("acme")).toEqual(new Map([["merged", 50]]));
  });

  it("answer again after the server has cut their connections", async () => {
    const databaseUrl = await anotherDatabase();
    const store = await open(databaseUrl);
    await store.cursors.put("name", "before");
    const writes = Array.from({ length: 20 }, (_, index) => store.cursors.put(`name ${index}`, "value"));
    const settled = Promise.allSettled(writes);
    await cutConnections(databaseUrl);
    for (const write of await settled)
      if (write.status === "rejected")
        expect(write.reason).toMatchObject({ name: "StorageError", code: "DATABASE_NOT_ANSWERING" });
    // A connection may be found to be cut only when it is used.
    while ((await store.cursors.put("name", "after").catch(() => "failed")) === "failed");
    expect(await store.cursors.get("name")).toBe("after");
  });

  it("report that the database does not answer when the server ends a transaction that takes too long", async () => {
    const databaseUrl = await anotherDatabase();
    await run(
      databaseUrl,
      `alter database ${new URL(databaseUrl).pathname.slice(1)} set transaction_timeout = '1s'`,
    );
    const store = await open(databaseUrl);
    await store.cursors.put("name", "before");
    await withClient(databaseUrl, async (client) => {
      await client.query("set transaction_timeout = 0; begin; select from cursors for update");
      const fault = { name: "StorageError", code: "DATABASE_NOT_ANSWERING" };
      await expect(store.cursors.put("name", "never")).rejects.toMatchObject(fault);
      await client.query("rollback");
    });
    await store.cursors.put("name", "after");
    expect(await store.cursors.get("name")).toBe("after");
  });

  it("write nothing more once a newer version has migrated the database, and say so", async () => {
    const databaseUrl = await anotherDatabase();
    const store = await open(databaseUrl);
    await store.cursors.put("name", "before");
    expect(store.replaced.aborted).toBe(false);
    await run(databaseUrl, "insert into kysely_migration values ('9999-time-travel', '2030-01-01')");
    await expect(store.cursors.put("name", "after")).rejects.toMatchObject({
      name: "StorageError",
      code: "SCHEMA_NEWER",
    });
    expect(store.replaced.reason).toMatchObject({ name: "DatabaseProblem", code: "SCHEMA_NEWER" });
    expect(await store.cursors.get("name")).toBe("before");
    expect(await store.ready()).toMatchObject({ code: "SCHEMA_NEWER" });
  });

  it("keep a text that contains the character 0, which PostgreSQL cannot store", async () => {
    const [one, other] = await openTwo();
    await one.cursors.put("na\0me", "val\0ue");
    expect(await other.cursors.get("na\0me")).toBe("val\u{fffd}ue");
  });
});

async function cutConnections(databaseUrl: string): Promise<void> {
  await run(
    databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

async function run(databaseUrl: string, statement: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query(statement));
}
