import { describe, expect, it } from "@jest/globals";
import type { EndedQuery } from "../../src/store/queue/entry-search.ts";
import { buildEntry } from "./build-entry.ts";
import { buildCreation, buildQueue } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const day = 86_400_000;
const everything: EndedQuery = {
  ...{ outcome: null, author: null, texts: [], since: null, until: null, after: null, limit: 10 },
};

export function entrySearchContract(create: CreateDatabase): void {
  describe("the history of queues", () => {
    const open = databaseForEachTest(create);

    async function openWithHistory() {
      const { queues, history } = await open();
      const merged = { state: "merged", submittedAt: day } as const;
      const entries = [
        buildEntry({ ...merged, pr: 1, title: "Über 50% of_it", stateChangedAt: day + 65_000 }),
        buildEntry({ ...merged, pr: 2, author: "Carol", stateChangedAt: 2 * day }),
        buildEntry({ pr: 3, author: "carolus", state: "failed", stateChangedAt: 2 * day }),
        buildEntry({ pr: 4, title: `null \0 ${"long".repeat(9_000)}`, stateChangedAt: 3 * day }),
      ];
      for (const id of ["queue-1", "queue-2"])
        await queues.commit({ ...buildCreation(buildQueue({ id, branch: id })), entries });
      return history;
    }

    it("is listed by the end, in pages, and filtered", async () => {
      const history = await openWithHistory();
      const list = async (query: Partial<EndedQuery>) =>
        (await history.listEnded("queue-1", { ...everything, ...query })).map(({ pr }) => pr);
      expect(await list({})).toEqual([3, 2, 1]);
      expect(await list({ limit: 1 })).toEqual([3]);
      expect(await list({ after: { endedAt: 2 * day, pr: 3 } })).toEqual([2, 1]);
      expect(await list({ outcome: "merged" })).toEqual([2, 1]);
      expect(await list({ author: "CAROL" })).toEqual([2]);
      expect(await list({ texts: ["über", "0% OF_"] })).toEqual([1]);
      expect(await list({ texts: ["5_% o"] })).toEqual([]);
      expect(await list({ since: day + 1, until: 2 * day })).toEqual([1]);
    });

    it("is searched in several queues, live entries first", async () => {
      const history = await openWithHistory();
      const found = async (ids: readonly string[], search: Parameters<typeof history.search>[1]) =>
        (await history.search(ids, search, 10)).map(({ queueId, entry }) => `${queueId} ${entry.pr}`);
      expect(await found(["queue-2"], { texts: ["ca", "ol"] })).toEqual(["queue-2 3", "queue-2 2"]);
      expect(await found(["queue-1"], { texts: ["feature"] })).toEqual(
        [3, 2, 1].map((pr) => `queue-1 ${pr}`),
      );
      expect(await found(["queue-1"], { texts: [] })).toEqual([4, 3, 2, 1].map((pr) => `queue-1 ${pr}`));
      expect((await found(["queue-1", "queue-2"], { pr: 2 })).sort()).toEqual(["queue-1 2", "queue-2 2"]);
      expect(await found([], { pr: 2 })).toEqual([]);
    });

    it("is searched by the SHAs of heads and merges", async () => {
      const { queues, history } = await open();
      const [head, sha, other] = ["ab", "cd", "abc"].map((digits) => digits.padEnd(40, "f")) as [
        string,
        string,
        string,
      ];
      const merged = { state: "merged", reason: { code: "MERGED_IN_ORDER", sha, proof: "exact" } } as const;
      const entries = [
        buildEntry({ pr: 1, headSha: head, ...merged }),
        buildEntry({ pr: 2, headSha: other }),
      ];
      await queues.commit({ ...buildCreation(), entries });
      const found = async (prefix: string, ids = ["queue-1"]) =>
        (await history.findBySha(ids, prefix, 10)).entries.map(({ pr, is }) => `${is} ${pr}`);
      expect((await found("ab")).sort()).toEqual(["head 1", "head 2"]);
      expect(await found("abc")).toEqual(["head 2"]);
      expect(await found(head)).toEqual(["head 1"]);
      expect(await found(sha)).toEqual(["merged_commit 1"]);
      expect(await found("ab", ["queue-2"])).toEqual([]);
      expect(await found("ab", [])).toEqual([]);
    });

    it("is counted by day and by wait", async () => {
      const history = await openWithHistory();
      const counted = await history.countMerges(["queue-1"], day);
      expect(counted.byDay).toEqual([1, 2].map((one) => ({ queueId: "queue-1", day: one, merges: 1 })));
      expect(counted.byWait.map(({ waitMs }) => waitMs).sort()).toEqual([60_000, day]);
      expect((await history.countMerges(["queue-1"], 2 * day)).byDay).toHaveLength(1);
      expect((await history.countMerges([], 0)).byDay).toEqual([]);
    });
  });
}
