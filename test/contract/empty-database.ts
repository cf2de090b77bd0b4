import { afterEach, beforeEach } from "@jest/globals";
import type { Store } from "../../src/store/sqlite/open-store.ts";

/** A separate database for one test. Any number of stores can be opened on it. */
export interface EmptyDatabase {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

export type CreateDatabase = () => Promise<EmptyDatabase>;

/**
 * Gives each test an empty database. Returns a function that opens a store on it; the store is closed when
 * the test ends.
 */
export function databaseForEachTest(create: CreateDatabase): () => Promise<Store> {
  let database: EmptyDatabase | null = null;
  let stores: Store[] = [];
  beforeEach(async () => {
    database = await create();
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    stores = [];
    await database?.remove();
  });
  return async () => {
    if (!database) throw new Error("there is a database only while a test runs");
    const store = await database.open();
    stores.push(store);
    return store;
  };
}
