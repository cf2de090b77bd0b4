import { describe, expect, it } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { RunRecord } from "../../src/ports/run-record.ts";
import { expectedTables } from "../../src/store/schema/expected-tables.ts";
import { buildEntry } from "./build-entry.ts";
import { buildCommit, buildCreation, repo } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const run = (id: string, endedAt: number | null) =>
  ({ run: { id, startedAt: 1, commits: [] }, endedAt }) as unknown as RunRecord;

export function historyStoreContract(create: CreateDatabase): void {
  describe("the history of pull requests", () => {
    const open = databaseForEachTest(create);

    it("loses what is older than a time, in portions, and keeps what is live", async () => {
      const { queues, heads, targets, publications, history } = await open();
      const entries = [
        buildEntry({ pr: 1, state: "merged", stateChangedAt: 100 }),
        buildEntry({ pr: 2, state: "merged", stateChangedAt: 200 }),
        buildEntry({ pr: 3, state: "pending", stateChangedAt: 100 }),
      ];
      const runs = [run("old", 100), run("new", 200), run("live", null)];
      await queues.commit({ ...buildCreation(), entries });
      await queues.commit(buildCommit({ runs }));
      for (const [pr, at] of [
        [1, 100],
        [2, 200],
        [4, 150],
      ] as const) {
        await heads.record(repo, pr, { sha: "a", at });
        const upload = { repo, pr, headSha: "a", targets: TargetSet.of([1]), uploadedAt: at };
        await targets.put({ ...upload, source: "organisation" });
      }
      for (const pr of [1, 2, 3, 4]) await publications.put(repo, pr, { commentId: `IC_${pr}` }, 100);
      const gone: number[] = [];
      for (let round = 0; round < 3; round++) gone.push(await history.forget(200, 1));
      expect(gone).toEqual([5, 3, 0]);
      const left = await Promise.all([1, 2, 3].map((pr) => queues.lastEntry("queue-1", pr)));
      expect(left.map((entry) => entry?.pr)).toEqual([undefined, 2, 3]);
      const found = await Promise.all(["old", "new", "live"].map((id) => queues.findRun("queue-1", id)));
      expect(found.map((one) => one?.run.id)).toEqual([undefined, "new", "live"]);
      expect(await heads.last(repo, 1)).toBeNull();
      expect(await heads.last(repo, 2)).toEqual({ sha: "a", at: 200 });
      expect([await targets.has(repo, 4, "a"), await targets.has(repo, 2, "a")]).toEqual([false, true]);
      const posted = await Promise.all([1, 2, 3, 4].map((pr) => publications.get(repo, pr)));
      expect(posted.map(({ commentId }) => commentId)).toEqual([null, "IC_2", "IC_3", null]);
    });
  });

  describe("the sizes of tables", () => {
    const open = databaseForEachTest(create);

    it("are estimated for every table, without counting rows", async () => {
      const { cursors, tableSizes } = await open();
      for (let index = 0; index < 30; index++) await cursors.put(`name ${index}`, "value");
      const sizes = await tableSizes.estimate();
      expect([...sizes.keys()].sort()).toEqual((await expectedTables()).map(({ name }) => name).sort());
      // PostgreSQL knows it only after its next vacuum.
      expect([0, 30]).toContain(sizes.get("cursors"));
    });
  });
}
