import { afterEach, expect, jest, test } from "@jest/globals";
import { sql } from "kysely";
import type { Store } from "../../src/store/create-stores.ts";
import { connectPostgres } from "../../src/store/postgres/connect-postgres.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { ServerClock } from "../../src/store/postgres/server-clock.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";

let store: Store | undefined;

afterEach(async () => {
  jest.restoreAllMocks();
  await store?.close();
});

test("the time on PostgreSQL is the server's, whatever the clock of the service's machine says", async () => {
  const real = Date.now();
  const began = performance.now();
  jest.spyOn(Date, "now").mockReturnValue(real - 6 * 3_600_000);
  store = await openPostgresStore(await anotherDatabase());
  // The server runs on this machine, so its time is the real one.
  const expected = real + (performance.now() - began);
  expect(Math.abs(store.clock.now() - expected)).toBeLessThan(1_000);
});

test("the time stays exact while all connections are busy, so that replicas agree about when a wait ends", async () => {
  const db = connectPostgres(await anotherDatabase());
  const clock = await ServerClock.start(db, 50);
  const errors: number[] = [];
  const watch = setInterval(() => errors.push(Math.abs(clock.now() - Date.now())), 10);
  try {
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 20 }, () => sql`select pg_sleep(0.4)`.execute(db)));
    expect(Math.max(...errors)).toBeLessThan(50);
  } finally {
    clearInterval(watch);
    clock.stop();
    await db.destroy();
  }
});
