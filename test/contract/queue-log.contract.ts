import { describe, expect, it } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { Event } from "../../src/engine/model/event.ts";
import { buildCommit, buildCreation, buildEvent, buildEvents, buildQueue } from "./build-queue.ts";
import { buildTask } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function queueLogContract(create: CreateDatabase): void {
  describe("the event log of a queue", () => {
    const open = databaseForEachTest(create);

    it("is empty before the first commit", async () => {
      const { queues } = await open();
      expect(await queues.load("nobody")).toEqual({ snapshot: null, events: [] });
    });

    it("returns committed events in order", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      await queues.commit(buildCommit({ events: buildEvents(2, 3) }));
      expect(await queues.load("queue-1")).toEqual({ snapshot: null, events: buildEvents(1, 3) });
    });

    it("returns targets with their events, and by event number", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const said = [TargetSet.of([7, 4_000_000_000, 9]), "ALL" as const, TargetSet.of([])];
      const events = said.map((targets, index) => {
        return { seq: index + 2, at: 5, data: { type: "entry_targeted", pr: 1, targets } } as const;
      });
      await queues.commit(buildCommit({ events }));
      expect((await queues.load("queue-1")).events.slice(1)).toEqual(events);
      expect(await queues.targets("queue-1", [4, 1, 2, 99])).toEqual(
        new Map([
          [2, TargetSet.of([7, 9, 4_000_000_000])],
          [4, TargetSet.of([])],
        ]),
      );
      expect(await queues.targets("queue-2", [2])).toEqual(new Map());
    });

    it("returns the targets of more events than a statement has parameters", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const events = Array.from({ length: 3_000 }, (_, index) => {
        const targets = TargetSet.of([index]);
        return { seq: index + 2, at: 5, data: { type: "entry_targeted", pr: 1, targets } } as const;
      });
      await queues.commit(buildCommit({ events }));
      const found = await queues.targets(
        "queue-1",
        events.map(({ seq }) => seq),
      );
      expect(found.size).toBe(3_000);
      expect(found.get(3_001)).toEqual(TargetSet.of([2_999]));
    });

    it("returns what stopped the queue between two events, and what stopped it at the first of them", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const status = (seq: number, to: "paused" | "running" | "draining"): Event => {
        const reason = { code: "CONFIGURED", by: "@alice" } as const;
        return { seq, at: seq, data: { type: "queue_status_changed", to, reason } };
      };
      const freeze = { reason: "Release.", since: 1, until: 9, timeZone: "UTC" };
      const froze = (seq: number, isOn: boolean): Event => {
        return { seq, at: seq, data: { type: "freeze_changed", freeze: isOn ? freeze : null, prs: [] } };
      };
      const events = [
        ...[status(2, "paused"), buildEvent(3), froze(4, true), status(5, "running")],
        ...[buildEvent(6), status(7, "draining"), buildEvent(8), froze(9, false)],
      ];
      await queues.commit(buildCommit({ events }));
      const numbers = async (first: number, last: number, limit = 10) =>
        (await queues.stopsBetween("queue-1", { first, last, limit })).map(({ seq }) => seq);
      expect(await numbers(3, 6)).toEqual([2, 4, 5]);
      expect(await numbers(6, 6)).toEqual([4]);
      expect(await numbers(8, 99)).toEqual([4, 7, 9]);
      expect(await numbers(1, 99, 1)).toEqual([7, 9]);
      const all = await queues.stopsBetween("queue-1", { first: 1, last: 99, limit: 10 });
      expect(all).toEqual(events.filter(({ data }) => data.type !== "entry_due"));
      expect(await queues.stopsBetween("queue-2", { first: 1, last: 99, limit: 10 })).toEqual([]);
    });

    it("accepts more events in one commit than a statement has parameters", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      expect(await queues.commit(buildCommit({ events: buildEvents(2, 10_001) }))).toBe("committed");
      expect((await queues.load("queue-1")).events).toHaveLength(10_001);
    });

    it("is separate for each queue", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const other = buildQueue({ id: "queue-2", branch: "next" });
      expect(await queues.commit(buildCreation(other))).toBe("committed");
      await queues.commit(buildCommit({ queueId: "queue-2", events: buildEvents(2, 2) }));
      expect((await queues.load("queue-1")).events).toEqual(buildEvents(1, 1));
    });

    it("rejects a number that exists, and writes nothing of the commit", async () => {
      const { queues, outbox } = await open();
      await queues.commit({ ...buildCreation(), tasks: [buildTask(1)] });
      const [row] = await outbox.claim({ owner: "worker-1", now: 0, leaseMs: 10, limit: 1 });
      const late = buildCommit({
        events: buildEvents(1, 2),
        tasks: [buildTask(2)],
        settles: row ? [row] : [],
        deletes: true,
      });
      expect(await queues.commit(late)).toBe("conflict");
      expect((await queues.load("queue-1")).events).toEqual(buildEvents(1, 1));
      expect(await outbox.depth()).toBe(1);
      expect(await queues.list()).toHaveLength(1);
    });

    it("does not create a queue whose log already exists", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const other = buildQueue({ id: "queue-2", branch: "next" });
      const clash = buildCommit({ queueId: "queue-1", creates: other, events: buildEvents(1, 1) });
      expect(await queues.commit(clash)).toBe("conflict");
      expect(await queues.get("queue-2")).toBeNull();
    });

    it("rejects events that would leave a gap", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      await expect(queues.commit(buildCommit({ events: [buildEvent(3)] }))).rejects.toThrow(/queue-1.*gap/);
      await expect(queues.commit(buildCommit({ events: [buildEvent(2), buildEvent(4)] }))).rejects.toThrow(
        /gap/,
      );
      expect((await queues.load("queue-1")).events).toHaveLength(1);
    });

    it("rejects events of a queue that does not exist", async () => {
      const { queues } = await open();
      await expect(queues.commit(buildCommit({ events: buildEvents(1, 1) }))).rejects.toThrow();
      expect((await queues.load("queue-1")).events).toEqual([]);
    });

    it("accepts exactly one of many concurrent appends of the same number", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => queues.commit(buildCommit({ events: buildEvents(2, 2) }))),
      );
      expect(answers.filter((answer) => answer === "committed")).toHaveLength(1);
    });

    it("accepts each number from exactly one of two replicas", async () => {
      const replicas = [await open(), await open()];
      await replicas[0]?.queues.commit(buildCreation());
      const numbers = Array.from({ length: 25 }, (_, index) => index + 2);
      for (const seq of numbers) {
        const commit = buildCommit({ events: [buildEvent(seq)], tasks: [buildTask(seq)] });
        const answers = await Promise.all(replicas.map(({ queues }) => queues.commit(commit)));
        expect(answers.sort()).toEqual(["committed", "conflict"]);
      }
      for (const { queues, outbox } of replicas) {
        expect((await queues.load("queue-1")).events).toEqual(buildEvents(1, 26));
        expect(await outbox.depth()).toBe(25);
      }
    });

    it("shows a replica the commits of another", async () => {
      const [one, other] = [await open(), await open()];
      await one.queues.commit(buildCreation());
      expect((await other.queues.load("queue-1")).events).toEqual(buildEvents(1, 1));
      await other.queues.commit(buildCommit({ events: buildEvents(2, 2) }));
      expect((await one.queues.load("queue-1")).events).toEqual(buildEvents(1, 2));
    });
  });

  describe("the snapshots of a queue", () => {
    const open = databaseForEachTest(create);

    it("limit a load to the events after the newest snapshot", async () => {
      const { queues } = await open();
      await queues.commit({ ...buildCreation(), events: buildEvents(1, 6) });
      await queues.saveSnapshot("queue-1", { seq: 2, state: "two" });
      await queues.saveSnapshot("queue-1", { seq: 4, state: "four" });
      expect(await queues.load("queue-1")).toEqual({
        snapshot: { seq: 4, state: "four" },
        events: buildEvents(5, 6),
      });
    });

    it("are not replaced by an older one that arrives late", async () => {
      const { queues } = await open();
      await queues.commit({ ...buildCreation(), events: buildEvents(1, 6) });
      for (const seq of [6, 4, 3, 2]) await queues.saveSnapshot("queue-1", { seq, state: `at ${seq}` });
      expect((await queues.load("queue-1")).snapshot).toEqual({ seq: 6, state: "at 6" });
    });

    it("are replaced by one at the same event", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      await queues.saveSnapshot("queue-1", { seq: 1, state: "first" });
      await queues.saveSnapshot("queue-1", { seq: 1, state: "second" });
      expect((await queues.load("queue-1")).snapshot?.state).toBe("second");
    });

    it("are rejected for an event that is not in the log", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      await expect(queues.saveSnapshot("queue-1", { seq: 2, state: "ahead" })).rejects.toThrow();
      expect((await queues.load("queue-1")).snapshot).toBeNull();
    });
  });
}
