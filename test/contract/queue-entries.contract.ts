import { describe, expect, it } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { Entry } from "../../src/engine/model/entry.ts";
import type { EntryQuery } from "../../src/store/queue/queue-store.ts";
import { buildEntry } from "./build-entry.ts";
import { buildCommit, buildCreation, buildQueue } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const everything: EntryQuery = { state: null, since: null, until: null, after: null, limit: 10 };

export function queueEntriesContract(create: CreateDatabase): void {
  describe("the entries of a queue", () => {
    const open = databaseForEachTest(create);

    async function openWith(...entries: readonly Entry[]) {
      const { queues } = await open();
      await queues.commit({ ...buildCreation(), entries });
      return queues;
    }

    it("are returned unchanged", async () => {
      const entry = buildEntry({ reason: { code: "CONFLICT_WITH_AHEAD", prs: [3, 4] }, heldBehind: [3, 4] });
      const queues = await openWith(entry);
      expect(await queues.lastEntry("queue-1", 7)).toEqual(entry);
      expect(await queues.lastEntry("queue-1", 8)).toBeNull();
      expect(await queues.lastEntry("queue-2", 7)).toBeNull();
    });

    it("are returned without their targets, which are in the log", async () => {
      const queues = await openWith(buildEntry({ targets: TargetSet.of([1, 2]), targetsSeq: 1 }));
      expect(await queues.lastEntry("queue-1", 7)).toEqual(buildEntry({ targets: null, targetsSeq: 1 }));
    });

    it("are returned in their latest state", async () => {
      const queues = await openWith(buildEntry());
      const merged = buildEntry({ state: "merged", stateChangedAt: 9_000 });
      await queues.commit(buildCommit({ entries: [buildEntry({ state: "testing" }), merged] }));
      expect(await queues.lastEntry("queue-1", 7)).toEqual(merged);
    });

    it("can number thousands in one commit", async () => {
      const many = Array.from({ length: 5_000 }, (_, index) => buildEntry({ pr: index + 1 }));
      const queues = await openWith(...many);
      expect((await queues.lastEntry("queue-1", 5_000))?.pr).toBe(5_000);
    });

    it("are returned to the right callers if many ask at the same time, for several queues", async () => {
      const prs = Array.from({ length: 150 }, (_, index) => index + 1);
      const { queues } = await open();
      for (const queueId of ["queue-1", "queue-2"]) {
        const entries = prs
          .filter((pr) => pr % 3 > 0)
          .map((pr) => buildEntry({ pr, title: `${queueId} ${pr}` }));
        await queues.commit({ ...buildCreation(buildQueue({ id: queueId, branch: queueId })), entries });
      }
      const asked = [...prs, ...prs.toReversed()].flatMap((pr) =>
        ["queue-1", "queue-2", "queue-3"].map((queueId) => ({ queueId, pr })),
      );
      const titles = await Promise.all(
        asked.map(async ({ queueId, pr }) => (await queues.lastEntry(queueId, pr))?.title ?? null),
      );
      expect(titles).toEqual(
        asked.map(({ queueId, pr }) => (queueId === "queue-3" || pr % 3 === 0 ? null : `${queueId} ${pr}`)),
      );
    });

    it("are returned as they are, if they were committed before they were asked for", async () => {
      const queues = await openWith(buildEntry());
      const before = queues.lastEntry("queue-1", 7);
      await queues.commit(buildCommit({ entries: [buildEntry({ state: "testing" })] }));
      const after = queues.lastEntry("queue-1", 7);
      expect(await after).toMatchObject({ state: "testing" });
      expect(await before).toMatchObject({ pr: 7 });
    });

    it("are found by their head branch, a current one before an ended one", async () => {
      const queues = await openWith(
        buildEntry({ pr: 1, headRef: "fix", submittedAt: 10 }),
        buildEntry({ pr: 2, headRef: "fix", submittedAt: 20, state: "cancelled" }),
        buildEntry({ pr: 3, headRef: "other", submittedAt: 30 }),
      );
      expect((await queues.lastEntryOfBranch("queue-1", "fix"))?.pr).toBe(1);
      expect(await queues.lastEntryOfBranch("queue-1", "Fix")).toBeNull();
    });

    it("are found by their head branch, the most recently submitted first", async () => {
      const queues = await openWith(
        buildEntry({ pr: 1, headRef: "fix", submittedAt: 20, state: "failed" }),
        buildEntry({ pr: 2, headRef: "fix", submittedAt: 30, state: "merged" }),
        buildEntry({ pr: 3, headRef: "fix", submittedAt: 10, state: "cancelled" }),
      );
      expect((await queues.lastEntryOfBranch("queue-1", "fix"))?.pr).toBe(2);
    });

    it("are listed after their end, the newest first", async () => {
      const queues = await openWith(
        buildEntry({ pr: 1, state: "merged", stateChangedAt: 100 }),
        buildEntry({ pr: 2, state: "failed", stateChangedAt: 300 }),
        buildEntry({ pr: 3, state: "cancelled", stateChangedAt: 200 }),
        buildEntry({ pr: 4, state: "testing", stateChangedAt: 400 }),
      );
      const ended = async (since: number, limit: number) =>
        (await queues.endedEntries("queue-1", since, limit)).map((entry) => entry.pr);
      expect(await ended(0, 10)).toEqual([2, 3, 1]);
      expect(await ended(200, 10)).toEqual([2, 3]);
      expect(await ended(0, 1)).toEqual([2]);
      expect(await ended(301, 10)).toEqual([]);
    });

    it("are listed by submission page by page, and filtered by state and time", async () => {
      const queues = await openWith(
        ...[10, 20, 20, 30].map((submittedAt, index) =>
          buildEntry({ pr: index + 1, submittedAt, state: index % 2 === 0 ? "merged" : "pending" }),
        ),
      );
      const list = async (query: Partial<EntryQuery>) =>
        (await queues.listEntries("queue-1", { ...everything, ...query })).map(({ pr }) => pr);
      expect(await list({})).toEqual([4, 3, 2, 1]);
      expect(await list({ limit: 2 })).toEqual([4, 3]);
      expect(await list({ after: { submittedAt: 20, pr: 3 } })).toEqual([2, 1]);
      expect(await list({ after: { submittedAt: 25, pr: 9 } })).toEqual([3, 2, 1]);
      expect(await list({ state: "merged" })).toEqual([3, 1]);
      expect(await list({ since: 20, until: 30 })).toEqual([3, 2]);
      expect(await queues.listEntries("queue-2", everything)).toEqual([]);
    });

    it("are current again when they are submitted again", async () => {
      const queues = await openWith(buildEntry({ state: "failed", stateChangedAt: 100 }));
      await queues.commit(buildCommit({ entries: [buildEntry({ state: "pending", stateChangedAt: 200 })] }));
      expect(await queues.endedEntries("queue-1", 0, 10)).toEqual([]);
    });
  });
}
