import { describe, expect, it } from "@jest/globals";
import { buildDelivery } from "./build-delivery.ts";
import { buildClaim, buildTask } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function meterStoreContract(create: CreateDatabase): void {
  describe("the meter store", () => {
    const open = databaseForEachTest(create);

    it("adds up values by organisation", async () => {
      const { meters } = await open();
      await meters.add([
        { organisation: "octo-org", series: "a", by: 1 },
        { organisation: "Octo-Org", series: "a", by: 2.5 },
        { organisation: "octo-org", series: "b", by: 1 },
        { organisation: "elsewhere", series: "a", by: 4 },
      ]);
      expect(await meters.read("OCTO-org")).toEqual(
        new Map([
          ["a", 3.5],
          ["b", 1],
        ]),
      );
      expect(await meters.read("nobody")).toEqual(new Map());
      expect(await meters.read(null)).toEqual(
        new Map([
          ["a", 7.5],
          ["b", 1],
        ]),
      );
    });

    it("counts the arrival and the handling of a delivery once", async () => {
      const { meters, inbox } = await open();
      const step = (series: string) => [{ organisation: "octo-org", series, by: 1 }];
      await inbox.add(buildDelivery("1"), step("added"));
      await inbox.add(buildDelivery("1"), step("added"));
      const [row] = await inbox.claim(buildClaim(100));
      if (!row) throw new Error("nothing was claimed");
      await inbox.settle(row, step("handled"));
      await inbox.settle(row, step("handled"));
      expect(await meters.read("octo-org")).toEqual(
        new Map([
          ["added", 1],
          ["handled", 1],
        ]),
      );
    });
  });

  describe("the backlog", () => {
    const open = databaseForEachTest(create);

    it("reports the rows of each stream and when the earliest was originally due, despite postponements", async () => {
      const { outbox, inbox } = await open();
      await outbox.add(buildTask(1, { notBefore: 100 }));
      await outbox.add(buildTask(2, { notBefore: 50 }));
      await outbox.add(buildTask(3, { stream: "other", notBefore: 70 }));
      const [claimed] = await outbox.claim(buildClaim(100));
      if (claimed) await outbox.postpone(claimed, 9_000, "not now");
      const waiting = await outbox.backlog();
      expect(new Set(waiting.map(({ rows, wantedAt }) => `${rows} ${wantedAt}`))).toEqual(
        new Set(["2 50", "1 70"]),
      );
      expect(waiting.every(({ task }) => task.type === "observe_pull_request")).toBe(true);

      await inbox.add(buildDelivery("1", { stream: "octo-org/train#1", receivedAt: 80 }));
      await inbox.add(buildDelivery("2", { stream: "octo-org/train#1", receivedAt: 90 }));
      expect(await inbox.backlog()).toEqual([
        expect.objectContaining({ stream: "octo-org/train#1", rows: 2, wantedAt: 80 }),
      ]);
    });

    it("has the earliest due time of tasks that were coalesced", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1, { notBefore: 100, coalesce: true }));
      await outbox.add(buildTask(1, { notBefore: 60, coalesce: true }));
      await outbox.add(buildTask(1, { notBefore: 200, coalesce: true }));
      expect((await outbox.backlog()).map(({ rows, wantedAt }) => [rows, wantedAt])).toEqual([[1, 60]]);
    });
  });
}
