import { describe, expect, it } from "@jest/globals";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const first = new Uint8Array(32).fill(1);
const second = new Uint8Array(32).fill(2);

export function signingKeysContract(create: CreateDatabase): void {
  describe("the signing keys", () => {
    const open = databaseForEachTest(create);

    it("keep the first key of a name, for every process and after a restart", async () => {
      const [one, other] = [await open(), await open()];
      expect([...(await one.signingKeys.obtain("pages", first))]).toEqual([...first]);
      expect([...(await other.signingKeys.obtain("pages", second))]).toEqual([...first]);
      expect([...(await other.signingKeys.obtain("others", second))]).toEqual([...second]);
      await one.close();
      const again = await open();
      expect([...(await again.signingKeys.obtain("pages", second))]).toEqual([...first]);
    });

    it("agree on one when several processes want it at once", async () => {
      const stores = [await open(), await open(), await open()];
      const keys = await Promise.all(
        stores.map((store, index) => store.signingKeys.obtain("pages", new Uint8Array(32).fill(index))),
      );
      expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
    });
  });
}
