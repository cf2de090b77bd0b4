import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { defaultSettings } from "../../src/engine/model/settings.ts";
import { QueueMetrics } from "../../src/service/metrics/queue-metrics.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { buildCreation, buildQueue, repo } from "../contract/build-queue.ts";
import { createSqliteFile, type SqliteFile } from "../store/sqlite-file.ts";

let file: SqliteFile;
let store: Store;

beforeEach(async () => {
  file = await createSqliteFile();
  store = await file.open();
});
afterEach(async () => {
  await store.close();
  await file.remove();
});

test("a log that cannot be counted is named once, and does not keep other logs from being counted", async () => {
  const [damaged, whole] = ["damaged", "whole"].map((id) => buildQueue({ id, branch: id }));
  // Its first event is about a pull request that no event has admitted.
  await store.queues.commit(buildCreation(damaged));
  const actor = { kind: "user", name: "alice" } as const;
  const place = { queueId: "whole", repo, branch: "whole", baseSha: "base", settings: defaultSettings };
  const events = [{ seq: 1, at: 1_000, data: { type: "queue_created", ...place, actor } }] as const;
  await store.queues.commit({ ...buildCreation(whole), events });
  const told: string[] = [];
  const warned: object[] = [];
  const log = {
    debug() {},
    info: (_fields: object, text: string) => void told.push(text),
    warn: (fields: object) => void warned.push(fields),
    error: (fields: object) => void warned.push(fields),
  };
  const metrics = new QueueMetrics(store.tallies, { now: () => 1_000 }, log);
  for (let starts = 0; starts < 2; starts++) {
    metrics.start();
    while (told.length < 2) await sleep(5);
    // In this time, a second start would count again.
    if (starts > 0) await sleep(50);
    await metrics.stop();
  }
  expect((await metrics.measure(null, null)).map(({ branch }) => branch)).toEqual(["whole"]);
  expect(warned).toEqual([expect.objectContaining({ queueId: "damaged" })]);
  expect(told).toEqual([
    "counting the events of 2 queues for the metrics",
    "counted the events of 2 of 2 queues",
  ]);
});
