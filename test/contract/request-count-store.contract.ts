import { describe, expect, it } from "@jest/globals";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function requestCountStoreContract(create: CreateDatabase): void {
  describe("a request count store", () => {
    const open = databaseForEachTest(create);

    it("sums the requests of each key and second", async () => {
      const { requestCounts } = await open();
      await requestCounts.add(100, new Map([["acme", 3]]));
      await requestCounts.add(101, new Map([["acme", 9]]));
      const added = new Map([
        ["acme", 4],
        ["other", 1],
      ]);
      expect(await requestCounts.add(100, added)).toEqual(
        new Map([
          ["acme", 7],
          ["other", 1],
        ]),
      );
    });

    it("forgets the counts of the minute before the last", async () => {
      const { requestCounts } = await open();
      await requestCounts.add(100, new Map([["acme", 3]]));
      await requestCounts.add(161, new Map([["acme", 1]]));
      expect(await requestCounts.add(100, new Map([["acme", 1]]))).toEqual(new Map([["acme", 1]]));
    });
  });
}
