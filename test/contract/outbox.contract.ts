import { describe, expect, it } from "@jest/globals";
import type { OutboxRow } from "../../src/store/leased/outbox.ts";
import { buildCommit, buildCreation } from "./build-queue.ts";
import { buildClaim, buildTask } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function outboxContract(create: CreateDatabase): void {
  describe("the outbox", () => {
    const open = databaseForEachTest(create);

    it("is empty at first", async () => {
      const { outbox } = await open();
      expect(await outbox.claim(buildClaim(1_000))).toEqual([]);
      expect(await outbox.nextDue()).toBeNull();
      expect(await outbox.depth()).toBe(0);
    });

    it("hands out a task once it is due", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(7, { notBefore: 500 }));
      expect(await outbox.nextDue()).toBe(500);
      expect(await outbox.claim(buildClaim(499))).toEqual([]);
      const { task, stream } = buildTask(7);
      expect(await outbox.claim(buildClaim(500))).toEqual([
        {
          id: expect.any(Number),
          claim: expect.any(String),
          stream,
          task,
          attempts: 0,
          failures: 0,
          failedAs: null,
          failedInARow: 0,
        },
      ]);
    });

    it("adds tasks and settles rows as part of a queue's commit", async () => {
      const { queues, outbox } = await open();
      await queues.commit({ ...buildCreation(), tasks: [buildTask(1), buildTask(2)] });
      const [first] = await outbox.claim(buildClaim(0));
      await queues.commit(buildCommit({ settles: [held(first)], tasks: [buildTask(3)] }));
      expect(prs(await outbox.claim(buildClaim(0)))).toEqual([2]);
      expect(await outbox.depth()).toBe(2);
    });

    it("hands out one task of a stream at a time, in order", async () => {
      const { outbox } = await open();
      for (const pr of [1, 2, 3]) await outbox.add(buildTask(pr));
      for (const pr of [1, 2, 3]) {
        const rows = await outbox.claim(buildClaim(0));
        expect(prs(rows)).toEqual([pr]);
        expect(await outbox.claim(buildClaim(0))).toEqual([]);
        await outbox.settle(held(rows[0]));
      }
      expect(await outbox.depth()).toBe(0);
    });

    it("lets a task that is not due yet block its own stream, but no other", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1, { notBefore: 500 }));
      await outbox.add(buildTask(2, { notBefore: 0 }));
      await outbox.add(buildTask(3, { notBefore: 0, stream: "other" }));
      expect(prs(await outbox.claim(buildClaim(100)))).toEqual([3]);
      expect(prs(await outbox.claim(buildClaim(500)))).toEqual([1]);
    });

    it("hands out the tasks that are due longest first, and at most the limit", async () => {
      const { outbox } = await open();
      for (const [pr, notBefore] of [
        [1, 30] as const,
        [2, 10] as const,
        [3, 20] as const,
        [4, 10] as const,
      ]) {
        await outbox.add(buildTask(pr, { notBefore, stream: `stream ${pr}` }));
      }
      expect(prs(await outbox.claim(buildClaim(100, { limit: 2 })))).toEqual([2, 4]);
      expect(prs(await outbox.claim(buildClaim(100, { limit: 2 })))).toEqual([3, 1]);
    });

    it("hands out a task again when its lease has expired, and counts the attempt", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1));
      const [row] = await outbox.claim(buildClaim(0, { leaseMs: 1_000 }));
      expect(await outbox.nextDue()).toBe(1_000);
      expect(await outbox.claim(buildClaim(999))).toEqual([]);
      expect(await outbox.claim(buildClaim(1_000, { owner: "worker-2" }))).toEqual([
        { ...row, claim: expect.any(String), attempts: 1 },
      ]);
    });

    it("does not hand out a task while its lease is renewed", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1));
      const [row] = await outbox.claim(buildClaim(0, { leaseMs: 1_000 }));
      await outbox.renew(held(row), 5_000);
      expect(await outbox.claim(buildClaim(4_999))).toEqual([]);
      expect(prs(await outbox.claim(buildClaim(5_000)))).toEqual([1]);
    });

    it("counts the failures of a task, and those of one kind in a row, and not what cut an attempt short", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1));
      for (const kind of ["denied", "unavailable", null, "denied", null, "denied"]) {
        const [row] = await outbox.claim(buildClaim(0));
        await outbox.postpone(held(row), 0, "an error", kind);
      }
      expect(await outbox.claim(buildClaim(0))).toMatchObject([
        { attempts: 6, failures: 4, failedAs: "denied", failedInARow: 2 },
      ]);
    });

    it("hands out a postponed task at its time, before the rest of its stream", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1));
      await outbox.add(buildTask(2));
      const [row] = await outbox.claim(buildClaim(0));
      await outbox.postpone(held(row), 700, "rate limited");
      expect(await outbox.nextDue()).toBe(700);
      expect(await outbox.claim(buildClaim(699))).toEqual([]);
      expect(await outbox.claim(buildClaim(700))).toEqual([
        { ...row, claim: expect.any(String), attempts: 1 },
      ]);
    });

    it("does not lease a postponed task when it is renewed", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1));
      const [row] = await outbox.claim(buildClaim(0));
      await outbox.postpone(held(row), 10, null);
      await outbox.renew(held(row), 5_000);
      expect(prs(await outbox.claim(buildClaim(10)))).toEqual([1]);
    });

    it("ignores operations on rows that are gone", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1));
      const [row] = await outbox.claim(buildClaim(0));
      await outbox.settle(held(row));
      await outbox.add(buildTask(2));
      await outbox.settle(held(row));
      await outbox.postpone(held(row), 10, "late");
      await outbox.renew(held(row), 10);
      expect(prs(await outbox.claim(buildClaim(0)))).toEqual([2]);
    });

    it("leases each row to only one of two replicas", async () => {
      const replicas = [await open(), await open()];
      const adding = Array.from({ length: 100 }, (_, pr) =>
        replicas[pr % 2]?.outbox.add(buildTask(pr, { stream: `stream ${pr}` })),
      );
      await Promise.all(adding);
      const claims = await Promise.all(
        [...replicas, ...replicas].map(({ outbox }) => outbox.claim(buildClaim(0, { limit: 30 }))),
      );
      const ids = claims.flat().map((row) => row.id);
      expect(ids).toHaveLength(100);
      expect(new Set(ids).size).toBe(100);
    });
  });
}

function prs(rows: readonly OutboxRow[]): readonly number[] {
  return rows.map(({ task }) => ("pr" in task ? task.pr : 0));
}

function held(row: OutboxRow | undefined): OutboxRow {
  if (!row) throw new Error("nothing was claimed");
  return row;
}
