import { describe, expect, it } from "@jest/globals";
import { buildCommit, buildCreation, buildEvents } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const queueId = "queue-1";

export function pastStatesContract(create: CreateDatabase): void {
  describe("the states of the past", () => {
    const open = databaseForEachTest(create);

    it("returns the last one before a time, and keeps the first one after each event", async () => {
      const { past, queues } = await open();
      await queues.commit(buildCreation());
      expect(await past.before(queueId)).toBeNull();
      for (const [seq, at] of [
        [3, 30],
        [5, 50],
        [7, 50],
      ] as const)
        await past.put(queueId, { seq, at, state: `after ${seq} 🚂`, marks: "" });
      await past.put(queueId, { seq: 5, at: 50, state: "another", marks: "" });
      expect(await past.before(queueId, 29)).toBeNull();
      expect(await past.before(queueId, 49)).toEqual({ seq: 3, at: 30, state: "after 3 🚂" });
      expect(await past.before(queueId, 50)).toEqual({ seq: 7, at: 50, state: "after 7 🚂" });
      expect((await past.before(queueId))?.seq).toBe(7);
      expect(await past.before("queue-2")).toBeNull();
    });

    it("counts the events since the last one", async () => {
      const { past, queues } = await open();
      expect(await past.countNewer(queueId)).toBe(0);
      await queues.commit(buildCreation());
      await queues.commit(buildCommit({ events: buildEvents(2, 10) }));
      expect(await past.countNewer(queueId)).toBe(10);
      await past.put(queueId, { seq: 6, at: 1, state: "", marks: "" });
      expect(await past.countNewer(queueId)).toBe(4);
    });

    it("returns the marks of a stretch of time, with the rows around it", async () => {
      const { past, queues } = await open();
      await queues.commit(buildCreation());
      for (const seq of [1, 2, 3, 4, 5])
        await past.put(queueId, { seq, at: 10 * seq, state: "", marks: `marks ${seq}` });
      const seqs = async (from: number, to: number) =>
        (await past.marks(queueId, from, to)).map(({ seq }) => seq);
      expect(await seqs(20, 30)).toEqual([1, 2, 3, 4]);
      expect(await seqs(21, 29)).toEqual([2, 3]);
      expect(await seqs(0, 5)).toEqual([1]);
      expect(await seqs(51, 60)).toEqual([5]);
      expect((await past.marks(queueId, 0, 5))[0]).toEqual({ seq: 1, at: 10, marks: "marks 1" });
    });
  });
}
