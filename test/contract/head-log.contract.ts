import { describe, expect, it } from "@jest/globals";
import { repo } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function headLogContract(create: CreateDatabase): void {
  describe("the head log", () => {
    const open = databaseForEachTest(create);

    it("returns null for a pull request without a head", async () => {
      const { heads } = await open();
      expect(await heads.last(repo, 7)).toBeNull();
    });

    it("returns the heads of many pull requests at the same time", async () => {
      const { heads } = await open();
      const other = { ...repo, name: "other" };
      for (const pr of [1, 2, 3]) {
        await heads.record(repo, pr, { sha: `ours-${pr}`, at: pr });
        await heads.record(other, pr, { sha: `theirs-${pr}`, at: pr });
      }
      const ask = (of: typeof repo) => [1, 2, 3, 4].map(async (pr) => (await heads.last(of, pr))?.sha);
      expect(await Promise.all([...ask(repo), ...ask(other)])).toEqual([
        ...["ours-1", "ours-2", "ours-3", undefined],
        ...["theirs-1", "theirs-2", "theirs-3", undefined],
      ]);
    });

    it("updates the time of the last head if the new time is later", async () => {
      const { heads } = await open();
      for (const at of [100, 200, 50]) await heads.record(repo, 7, { sha: "a", at });
      expect(await heads.last(repo, 7)).toEqual({ sha: "a", at: 200 });
    });

    it("keeps the newest head, regardless of the order of the records", async () => {
      const { heads } = await open();
      await heads.record(repo, 7, { sha: "a", at: 100 });
      await heads.record(repo, 7, { sha: "c", at: 300 });
      await heads.record(repo, 7, { sha: "b", at: 200 });
      expect(await heads.last(repo, 7)).toEqual({ sha: "c", at: 300 });
    });

    it("accepts a head that was pushed again later", async () => {
      const { heads } = await open();
      await heads.record(repo, 7, { sha: "a", at: 100 });
      await heads.record(repo, 7, { sha: "b", at: 200 });
      await heads.record(repo, 7, { sha: "a", at: 300 });
      expect(await heads.last(repo, 7)).toEqual({ sha: "a", at: 300 });
    });

    it("keeps the later record of two heads with equal times", async () => {
      const { heads } = await open();
      await heads.record(repo, 7, { sha: "a", at: 100 });
      await heads.record(repo, 7, { sha: "b", at: 100 });
      expect(await heads.last(repo, 7)).toEqual({ sha: "b", at: 100 });
    });

    it("separates pull requests, and matches the repository regardless of case", async () => {
      const { heads } = await open();
      await heads.record(repo, 7, { sha: "a", at: 100 });
      expect(await heads.last({ ...repo, owner: "OCTO-ORG" }, 7)).toEqual({ sha: "a", at: 100 });
      expect(await heads.last(repo, 8)).toBeNull();
    });
  });
}
