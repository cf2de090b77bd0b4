import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openStore, type Store } from "../../src/store/sqlite/open-store.ts";
import { buildClaim, buildTask } from "../contract/build-task.ts";

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-settling-"));
  store = await openStore(`sqlite:${join(directory, "trainyard.db")}`);
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

test("tasks are settled again after a time in which no transaction could begin", async () => {
  const { outbox } = store;
  await outbox.add(buildTask(1));
  const [row] = await outbox.claim(buildClaim(0));
  if (!row) throw new Error("nothing was claimed");
  const other = new DatabaseSync(join(directory, "trainyard.db"));
  other.exec("begin immediate");
  await expect(outbox.settle(row)).rejects.toMatchObject({ code: "DATABASE_BUSY" });
  other.exec("rollback");
  other.close();
  await outbox.settle(row);
  expect(await outbox.depth()).toBe(0);
});
