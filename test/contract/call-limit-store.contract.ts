import { describe, expect, it } from "@jest/globals";
import type { CallLimits } from "../../src/ports/code-host/app.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const limits: CallLimits = {
  restStoppedUntil: 1_790_000_000_000,
  graphqlStoppedUntil: 0,
  minuteTokens: 19.5,
  hourTokens: 124.25,
  filledAt: 1_789_000_000_000,
};

export function callLimitStoreContract(create: CreateDatabase): void {
  describe("the call limit store", () => {
    const open = databaseForEachTest(create);

    it("returns null for an installation until its limits are recorded", async () => {
      const { callLimits } = await open();
      expect(await callLimits.get(1)).toBeNull();
      expect(
        await callLimits.update(1, (known) => (known === null ? limits : { ...known, hourTokens: 0 })),
      ).toEqual(limits);
      expect(await callLimits.get(1)).toEqual(limits);
      expect(await callLimits.get(2)).toBeNull();
    });

    it("loses no update when several run at the same time", async () => {
      const { callLimits } = await open();
      const take = (known: CallLimits | null) => ({
        ...limits,
        minuteTokens: (known?.minuteTokens ?? 50) - 1,
      });
      await Promise.all(Array.from({ length: 40 }, () => callLimits.update(1, take)));
      expect((await callLimits.get(1))?.minuteTokens).toBe(10);
    });

    it("keeps an unlimited budget", async () => {
      const { callLimits } = await open();
      await callLimits.update(1, () => ({ ...limits, minuteTokens: Number.POSITIVE_INFINITY }));
      expect((await callLimits.get(1))?.minuteTokens).toBe(Number.POSITIVE_INFINITY);
    });
  });
}
