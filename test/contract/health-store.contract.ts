import { describe, expect, it } from "@jest/globals";
import { buildCreation } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function healthStoreContract(create: CreateDatabase): void {
  describe("the health store", () => {
    const open = databaseForEachTest(create);

    it("keeps the hours of the fold with the most events, and forgets old ones", async () => {
      const { health, history, queues } = await open();
      await queues.commit(buildCreation());
      const hour = (at: number, text: string) => ({ at, steps: text, stays: `${text} stays` });
      await health.put("queue-1", 5, "five", [hour(10, "a"), hour(20, "b")]);
      // Another service was faster.
      await health.put("queue-1", 3, "three", [hour(20, "older")]);
      await health.put("queue-1", 6, "six", [hour(20, "c"), hour(30, "d")]);
      expect(await health.fold("queue-1")).toBe("six");
      const rows = [
        { at: 10, steps: "a" },
        { at: 20, steps: "c" },
        { at: 30, steps: "d" },
      ];
      expect(await health.steps("queue-1", 10, 31, 9)).toEqual(rows);
      expect(await health.steps("queue-1", 11, 30, 9)).toEqual(rows.slice(1, 2));
      expect(await health.steps("queue-1", 10, 31, 2)).toEqual(rows.slice(0, 2));
      expect(await health.stays("queue-1", [20, 40])).toEqual(["c stays"]);
      await history.forget(25, 10);
      expect(await health.steps("queue-1", 0, 31, 9)).toEqual(rows.slice(2));
    });
  });
}
