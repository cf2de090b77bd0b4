import { describe, expect, it } from "@jest/globals";
import { buildCommit, buildCreation, buildEvents } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function tallyStoreContract(create: CreateDatabase): void {
  describe("the tally store", () => {
    const open = databaseForEachTest(create);

    it("keeps the tally with the highest event number", async () => {
      const { tallies, queues } = await open();
      await queues.commit(buildCreation());
      expect(await tallies.get("queue-1")).toBeNull();
      await tallies.put("queue-1", 5, "five");
      await tallies.put("queue-1", 3, "three");
      expect(await tallies.get("queue-1")).toBe("five");
      await tallies.put("queue-1", 6, "six");
      expect(await tallies.get("queue-1")).toBe("six");
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
