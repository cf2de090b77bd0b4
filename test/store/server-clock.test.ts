import { afterEach, expect, jest, test } from "@jest/globals";
import type { Store } from "../../src/store/create-stores.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";

let store: Store;

afterEach(async () => {
  jest.restoreAllMocks();
  await store.close();
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
