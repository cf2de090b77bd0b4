import { describe, expect, it } from "@jest/globals";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function signingKeysContract(create: CreateDatabase): void {
  describe("the signing keys", () => {
    const open = databaseForEachTest(create);

    it("keep the first key of each name for every process and after a restart", async () => {
      const [one, other] = [await open(), await open()];
      expect(await one.signingKeys.obtain({ name: "pages", value: "first" })).toBe("first");
      expect(await other.signingKeys.obtain({ name: "pages", value: "second" })).toBe("first");
      expect(await other.signingKeys.obtain({ name: "others", value: "second" })).toBe("second");
      await one.close();
      const again = await open();
      expect(await again.signingKeys.obtain({ name: "pages", value: "second" })).toBe("first");
    });

    it("are equal for several processes that request them at once", async () => {
      const stores = [await open(), await open(), await open()];
      const keys = await Promise.all(
        stores.map(({ signingKeys }, index) => signingKeys.obtain({ name: "pages", value: String(index) })),
      );
      expect(new Set(keys).size).toBe(1);
    });

    it("are replaced once, only by a caller that knows the current value", async () => {
      const { signingKeys } = await open();
      await signingKeys.obtain({ name: "pages", value: "clear" });
      await signingKeys.obtain({ name: "others", value: "clear" });
      await signingKeys.replace({ name: "pages", value: "clear" }, "sealed");
      await signingKeys.replace({ name: "pages", value: "clear" }, "sealed again");
      expect(await signingKeys.list()).toEqual([
        { name: "others", value: "clear" },
        { name: "pages", value: "sealed" },
      ]);
    });
  });
}
