import { describe, expect, it } from "@jest/globals";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function cursorStoreContract(create: CreateDatabase): void {
  describe("the cursor store", () => {
    const open = databaseForEachTest(create);

    it("keeps the last value of each name", async () => {
      const { cursors } = await open();
      expect(await cursors.get("deliveries")).toBeNull();
      await cursors.put("deliveries", "100");
      await cursors.put("deliveries", "200");
      await cursors.put("comments", "");
      expect(await cursors.get("deliveries")).toBe("200");
      expect(await cursors.get("comments")).toBe("");
      const listed = await cursors.list(["comments", "labels", "deliveries"]);
      expect(listed).toEqual(
        new Map([
          ["comments", ""],
          ["deliveries", "200"],
        ]),
      );
      expect(await cursors.list([])).toEqual(new Map());
    });
  });
}
