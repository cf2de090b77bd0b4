import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { eventsPerBlock } from "../../src/store/queue/event-archive.ts";
import { buildDelivery } from "../contract/build-delivery.ts";
import { buildEntry } from "../contract/build-entry.ts";
import { buildCommit, buildCreation, buildEvents, repo } from "../contract/build-queue.ts";
import { buildClaim, buildTask } from "../contract/build-task.ts";
import { buildToken } from "../contract/build-token.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

describe("a damaged database", () => {
  let file: SqliteFile;
  beforeEach(async () => {
    file = await createSqliteFile();
    const store = await file.open();
    await store.queues.commit({
      ...buildCreation(),
      events: buildEvents(1, 9),
      entries: [buildEntry()],
      tasks: [buildTask(1)],
    });
    await store.tokens.add(buildToken("abc"));
    await store.inbox.add(buildDelivery("guid-1"));
    const upload = { repo, pr: 7, headSha: "a", source: "organisation", uploadedAt: 1 } as const;
    await store.targets.put({ ...upload, targets: TargetSet.of([1]) });
    await store.close();
  });
  afterEach(() => file.remove());

  async function openAfter(damage: string) {
    const database = new DatabaseSync(file.path);
    database.exec(damage);
    database.close();
    return await file.open();
  }

  it.each([
    [
      "cannot be parsed",
      "update events set content = '{\"type\":' where seq = 5",
      /event 5 of queue queue-1 is not JSON/,
    ],
    [
      "is not an event",
      "update events set content = '[]' where seq = 5",
      /event 5 of queue queue-1 has no type/,
    ],
    ["is missing", "delete from events where seq = 5", /event 5 of queue queue-1 is missing/],
    ["is missing at the start", "delete from events where seq = 1", /event 1 of queue queue-1 is missing/],
  ])("does not load a queue with an event that %s", async (_case, damage, message) => {
    const store = await openAfter(damage);
    await expect(store.queues.load("queue-1")).rejects.toThrow(message);
    await store.close();
  });

  it.each([
    ["cannot be decompressed", "set content = x'00'"],
    ["is not complete", "set first_seq = 2"],
  ])("names archived events that cannot be read: the block %s", async (problem, damage) => {
    const store = await file.open();
    await store.queues.commit(buildCommit({ events: buildEvents(10, eventsPerBlock + 1) }));
    await store.queues.saveSnapshot("queue-1", { seq: eventsPerBlock + 1, state: "{}" });
    await store.history.archiveEvents("queue-1", Number.POSITIVE_INFINITY);
    await store.close();
    const damaged = await openAfter(`update archived_events ${damage}`);
    await expect(damaged.queues.eventsAfter("queue-1", 0)).rejects.toThrow(
      new RegExp(`the archive of events \\d to ${eventsPerBlock} of queue queue-1 ${problem}`),
    );
    await damaged.close();
  });

  it("does not skip an event that is missing after a snapshot", async () => {
    const store = await file.open();
    await store.queues.saveSnapshot("queue-1", { seq: 4, state: "{}" });
    await store.close();
    const damaged = await openAfter("delete from events where seq = 5");
    await expect(damaged.queues.load("queue-1")).rejects.toThrow(/event 5 of queue queue-1 is missing/);
    await damaged.close();
  });

  it("names an entry that cannot be read", async () => {
    const store = await openAfter("update entries set content = 'null'");
    await expect(store.queues.lastEntry("queue-1", 7)).rejects.toThrow(
      /#7 in queue queue-1 is not an object/,
    );
    await store.close();
  });

  it("names a task that cannot be read, and keeps it", async () => {
    const store = await openAfter("update outbox set content = ''");
    await expect(store.outbox.claim(buildClaim(0))).rejects.toThrow(/outbox row 1 is not JSON/);
    expect(await store.outbox.nextDue()).toBe(0);
    await store.close();
  });

  it("names a delivery without a payload", async () => {
    const store = await openAfter("update deliveries set payload = null");
    await expect(store.inbox.claim(buildClaim(100))).rejects.toThrow(/inbox row 1 names delivery guid-1/);
    await store.close();
  });

  it("gives no scopes to a token whose scopes cannot be read", async () => {
    const store = await openAfter("update tokens set scopes = 'admin'");
    await expect(store.tokens.find("abc")).rejects.toThrow(/scopes of token abc/);
    await store.close();
  });

  it.each(['"SOME"', '"AAAAA=="', "[1]", "{}"])("does not accept %s as targets", async (stored) => {
    const store = await openAfter(`update targets set targets = '${stored}'`);
    await expect(store.targets.get(repo, 7, "a")).rejects.toThrow(/targets of #7/);
    await store.close();
  });
});
