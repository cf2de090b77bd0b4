import { describe, expect, it } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { Event } from "../../src/engine/model/event.ts";
import type { Store } from "../../src/store/create-stores.ts";
import { eventsPerBlock } from "../../src/store/queue/event-archive.ts";
import { buildEntry } from "./build-entry.ts";
import { buildCommit, buildCreation, buildEvent, buildEvents } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const queueId = "queue-1";
const last = 3 * eventsPerBlock;
const withTargets: Event = {
  ...buildEvent(7),
  data: { type: "entry_targeted", pr: 7, targets: TargetSet.of([1, 2]) },
};
const log = [...buildEvents(1, 6), withTargets, ...buildEvents(8, last)];

export function eventArchiveContract(create: CreateDatabase): void {
  describe("archived events", () => {
    const open = databaseForEachTest(create);

    /** A queue with all events, and snapshots after some of them. */
    async function openLog(...snapshots: number[]): Promise<Store> {
      const store = await open();
      const { queues } = store;
      await queues.commit({ ...buildCreation(), events: log.slice(0, 1) });
      await queues.commit(buildCommit({ events: log.slice(1) }));
      for (const seq of snapshots) await queues.saveSnapshot(queueId, { seq, state: `{"seq":${seq}}` });
      return store;
    }

    async function archiveAll({ history }: Store, before = Number.POSITIVE_INFINITY): Promise<number> {
      let blocks = 0;
      while (await history.archiveEvents(queueId, before)) blocks += 1;
      return blocks;
    }

    it("are read as if they were in the log", async () => {
      const store = await openLog(last - 10, last - 5);
      const { queues, tallies } = store;
      expect(await archiveAll(store)).toBe(2);
      expect(await queues.eventsAfter(queueId, 0)).toEqual(log);
      expect(await queues.eventsAfter(queueId, 700)).toEqual(log.slice(700));
      expect(await queues.eventsAfter(queueId, last)).toEqual([]);
      for (const [after, limit] of [
        [0, 3],
        [490, 20],
        [990, 20],
        [400, 1_000],
      ] as const)
        expect(await tallies.eventsAfter(queueId, after, limit)).toEqual(log.slice(after, after + limit));
      expect(await queues.targets(queueId, [6, 7, last])).toEqual(new Map([[7, TargetSet.of([1, 2])]]));
    });

    it("are found by the pull request that they are about", async () => {
      const store = await openLog(last - 10, last - 5);
      const about = (seq: number, pr: number): Event => ({
        ...buildEvent(seq),
        data: { type: "entry_aged", pr },
      });
      const [first, other, second] = [about(last + 1, 7), about(last + 2, 8), about(last + 3, 7)];
      const put = (...events: Event[]) =>
        store.queues.commit(buildCommit({ events, entries: [buildEntry({ pr: 7 }), buildEntry({ pr: 8 })] }));
      await put(first);
      await put(other, second);
      await store.queues.commit(buildCommit({ events: buildEvents(last + 4, last + 600) }));
      for (const seq of [last + 590, last + 600])
        await store.queues.saveSnapshot(queueId, { seq, state: "{}" });
      expect(await archiveAll(store)).toBe(4);
      const found = (limit: number) => store.queues.entryEvents(queueId, 7, limit);
      expect(await found(9)).toEqual({ events: [first, second], omitted: 0 });
      expect(await found(1)).toEqual({ events: [second], omitted: 1 });
      expect(await store.queues.entryEvents(queueId, 9, 9)).toEqual({ events: [], omitted: 0 });
    });

    it("are older than both snapshots, so the queue loads and continues as before", async () => {
      const store = await openLog(2 * eventsPerBlock, last);
      const { queues } = store;
      expect(await archiveAll(store)).toBe(1);
      expect(await queues.load(queueId)).toEqual({
        snapshot: { seq: last, state: `{"seq":${last}}` },
        events: [],
      });
      expect(await queues.commit(buildCommit({ events: buildEvents(last + 1, last + 2) }))).toBe("committed");
      expect(await queues.commit(buildCommit({ events: buildEvents(5, 5) }))).toBe("conflict");
      expect(await queues.eventsAfter(queueId, 0)).toEqual([...log, ...buildEvents(last + 1, last + 2)]);
    });

    it("are only those that happened before a time, in whole blocks", async () => {
      const store = await openLog(last);
      const { at } = buildEvent(eventsPerBlock);
      expect(await store.history.archiveEvents(queueId, at)).toBe(false);
      expect(await archiveAll(store, at + 1)).toBe(1);
    });

    it("are none without a snapshot", async () => {
      const store = await openLog();
      expect(await archiveAll(store)).toBe(0);
    });

    it("are archived once when two services do it at the same time", async () => {
      const store = await openLog(last);
      const other = await open();
      for (let round = 0; round < 3; round++)
        await Promise.all(
          [store, other].map((one) => one.history.archiveEvents(queueId, Number.POSITIVE_INFINITY)),
        );
      expect(await store.queues.eventsAfter(queueId, 0)).toEqual(log);
      expect(await store.history.queueIds()).toEqual([queueId]);
    });
  });
}
