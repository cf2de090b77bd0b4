import { describe, expect, it } from "@jest/globals";
import type { Outbox } from "../../src/store/leased/outbox.ts";
import { buildCommit, buildCreation, buildEvent } from "./build-queue.ts";
import { buildClaim, buildTask } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function outboxCoalescingContract(create: CreateDatabase): void {
  describe("coalescing tasks", () => {
    const open = databaseForEachTest(create);
    const coalescing = (notBefore: number) => buildTask(1, { notBefore, coalesce: true });

    async function claimOne(outbox: Outbox, now: number) {
      const [row, ...others] = await outbox.claim(buildClaim(now));
      if (!row || others.length > 0) throw new Error("expected one row");
      return row;
    }

    it("are merged into the waiting task with the earlier time", async () => {
      const { outbox } = await open();
      await outbox.add(coalescing(500));
      await outbox.add(coalescing(300));
      await outbox.add(coalescing(400));
      expect(await outbox.depth()).toBe(1);
      expect(await outbox.nextDue()).toBe(300);
    });

    it("are merged while they wait behind another task", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(9, { notBefore: 0 }));
      await outbox.add(coalescing(500));
      await outbox.add(coalescing(300));
      await outbox.settle(await claimOne(outbox, 0));
      expect(await outbox.depth()).toBe(1);
      expect(await outbox.nextDue()).toBe(300);
    });

    it("of many streams are merged with those of their own stream, in one commit", async () => {
      const { outbox, queues } = await open();
      const streams = Array.from({ length: 100 }, (_, index) => `stream-${index}`);
      const tasks = (notBefore: number) => streams.map((stream) => ({ ...coalescing(notBefore), stream }));
      await queues.commit({ ...buildCreation(), tasks: tasks(500).filter((_, index) => index % 2 === 0) });
      await queues.commit(buildCommit({ events: [buildEvent(2)], tasks: tasks(300) }));
      expect(await outbox.depth()).toBe(100);
      const rows = await outbox.claim(buildClaim(300));
      expect(new Set(rows.map(({ stream }) => stream))).toEqual(new Set(streams));
    });

    it("of different streams are not merged", async () => {
      const { outbox } = await open();
      await outbox.add(coalescing(0));
      await outbox.add({ ...coalescing(0), stream: "other" });
      expect(await outbox.depth()).toBe(2);
    });

    it("are not merged into a different task, or into one without coalescing", async () => {
      const { outbox } = await open();
      await outbox.add(coalescing(0));
      await outbox.add(buildTask(2, { coalesce: true }));
      await outbox.add(buildTask(2, { coalesce: false }));
      expect(await outbox.depth()).toBe(3);
    });

    it("are not merged into a leased task, which may have started too early to see the change", async () => {
      const { outbox } = await open();
      await outbox.add(coalescing(0));
      const leased = await claimOne(outbox, 0);
      await outbox.add(coalescing(0));
      await outbox.add(coalescing(0));
      expect(await outbox.depth()).toBe(2);
      await outbox.settle(leased);
      expect((await claimOne(outbox, 0)).id).not.toBe(leased.id);
    });

    it("are not merged into a task that was leased again", async () => {
      const { outbox } = await open();
      await outbox.add(coalescing(0));
      await claimOne(outbox, 0);
      const again = await claimOne(outbox, 1_000);
      await outbox.add(coalescing(1_000));
      await outbox.settle(again);
      expect(await outbox.depth()).toBe(1);
    });

    it("are merged with a leased task when it is postponed", async () => {
      const { outbox } = await open();
      await outbox.add(coalescing(0));
      const leased = await claimOne(outbox, 0);
      await outbox.add(coalescing(100));
      await outbox.postpone(leased, 800, "unavailable");
      expect(await outbox.depth()).toBe(1);
      expect(await outbox.nextDue()).toBe(800);
      expect(await claimOne(outbox, 800)).toEqual({ ...leased, claim: expect.any(String), attempts: 1 });
    });

    it("are merged into a postponed task", async () => {
      const { outbox } = await open();
      await outbox.add(coalescing(0));
      const leased = await claimOne(outbox, 0);
      await outbox.postpone(leased, 800, null);
      await outbox.add(coalescing(200));
      expect(await outbox.depth()).toBe(1);
      expect(await outbox.nextDue()).toBe(200);
    });

    it("are merged with those of many leased tasks that are postponed at once, each until its own time", async () => {
      const { outbox } = await open();
      const of = (pr: number, notBefore: number, coalesce = true) =>
        outbox.add({ ...buildTask(pr, { notBefore, coalesce }), stream: `stream-${pr}` });
      const prs = Array.from({ length: 60 }, (_, index) => index);
      for (const pr of prs) await of(pr, 0);
      const leased = await outbox.claim(buildClaim(0));
      for (const pr of prs) if (pr % 3 > 0) await of(pr, 0, pr % 3 === 1);
      await Promise.all(
        leased.map((row, index) =>
          outbox.postpone(row, 700 + index, index % 2 ? "an error" : null, index % 4 ? null : "denied"),
        ),
      );
      expect(leased).toHaveLength(60);
      // A task that does not coalesce stays.
      expect(await outbox.depth()).toBe(80);
      expect(await outbox.nextDue()).toBe(700);
      const early = await outbox.claim(buildClaim(729));
      expect(early.map(({ id }) => id)).toEqual(leased.slice(0, 30).map(({ id }) => id));
      expect(early.map(({ failures }) => failures)).toEqual(
        leased.slice(0, 30).map((_, i) => (i % 4 ? 0 : 1)),
      );
    });

    it("stay behind a different task that is postponed", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(9));
      const leased = await claimOne(outbox, 0);
      await outbox.add(coalescing(0));
      await outbox.postpone(leased, 800, null);
      expect(await outbox.depth()).toBe(2);
      expect((await claimOne(outbox, 800)).id).toBe(leased.id);
    });
  });
}
