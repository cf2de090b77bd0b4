import { describe, expect, it } from "@jest/globals";
import { buildCommit, buildCreation, buildEvents } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function tallyStoreContract(create: CreateDatabase): void {
  describe("the tally store", () => {
    const open = databaseForEachTest(create);

    it("keeps the tally with the highest event number", async () => {
      const { tallies, queues } = await open();
      await queues.commit(buildCreation());
      expect(await queues.tally("queue-1")).toBeNull();
      for (const [seq, content, kept] of [
        [5, "five", "five"],
        [3, "three", "five"],
        [6, "six", "six"],
      ] as const) {
        await tallies.put("queue-1", { seq, content });
        expect((await queues.tally("queue-1"))?.content).toBe(kept);
      }
    });

    it("keeps the tally of a commit, unless the commit conflicts", async () => {
      const { tallies, queues } = await open();
      await queues.commit({ ...buildCreation(), tally: { seq: 1, content: "one" } });
      const lost = { ...buildCommit({ events: buildEvents(1, 2) }), tally: { seq: 2, content: "lost" } };
      expect(await queues.commit(lost)).toBe("conflict");
      expect(await queues.tally("queue-1")).toEqual({ seq: 1, content: "one" });
      expect(await tallies.list()).toMatchObject([{ id: "queue-1", branch: "main", content: "one" }]);
    });

    it("names the queues of which not everything was counted", async () => {
      const { tallies, queues } = await open();
      await queues.commit(buildCreation());
      expect(await tallies.behind()).toEqual(["queue-1"]);
      await tallies.put("queue-1", { seq: 1, content: "one" });
      expect(await tallies.behind()).toEqual([]);
      await queues.commit(buildCommit({ events: buildEvents(2, 3) }));
      expect(await tallies.behind()).toEqual(["queue-1"]);
      await queues.commit(buildCommit({ events: buildEvents(4, 4), deletes: true }));
      expect(await tallies.behind()).toEqual([]);
      expect(await tallies.list()).toEqual([]);
    });

    it("returns events in pages, in order", async () => {
      const { tallies, queues } = await open();
      await queues.commit(buildCreation());
      await queues.commit(buildCommit({ events: buildEvents(2, 10) }));
      const seqs = async (after: number, limit: number) =>
        (await tallies.eventsAfter("queue-1", after, limit)).map(({ seq }) => seq);
      expect(await seqs(0, 3)).toEqual([1, 2, 3]);
      expect(await seqs(3, 3)).toEqual([4, 5, 6]);
      expect(await seqs(9, 3)).toEqual([10]);
      expect(await seqs(10, 3)).toEqual([]);
      expect(await tallies.eventsAfter("queue-2", 0, 3)).toEqual([]);
    });
  });
}
