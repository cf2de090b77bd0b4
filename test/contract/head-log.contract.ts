import { describe, expect, it } from "@jest/globals";
import { repo } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function headLogContract(create: CreateDatabase): void {
  describe("the log of heads", () => {
    const open = databaseForEachTest(create);

    it("knows no head at first", async () => {
      const { heads } = await open();
      expect(await heads.last(repo, 7)).toBeNull();
    });

    it("gives a head that is the last one already the newer time", async () => {
      const { heads } = await open();
      for (const at of [100, 200, 50]) await heads.record(repo, 7, { sha: "a", at });
      expect(await heads.last(repo, 7)).toEqual({ sha: "a", at: 200 });
    });

    it("lets the newer head win, whatever order they come in", async () => {
      const { heads } = await open();
      await heads.record(repo, 7, { sha: "a", at: 100 });
      await heads.record(repo, 7, { sha: "c", at: 300 });
      await heads.record(repo, 7, { sha: "b", at: 200 });
      expect(await heads.last(repo, 7)).toEqual({ sha: "c", at: 300 });
    });

    it("gives a head that was pushed back its new time", async () => {
      const { heads } = await open();
      await heads.record(repo, 7, { sha: "a", at: 100 });
      await heads.record(repo, 7, { sha: "b", at: 200 });
      await heads.record(repo, 7, { sha: "a", at: 300 });
      expect(await heads.last(repo, 7)).toEqual({ sha: "a", at: 300 });
    });

    it("lets the later report win between two heads of the same second", async () => {
      const { heads } = await open();
      await heads.record(repo, 7, { sha: "a", at: 100 });
      await heads.record(repo, 7, { sha: "b", at: 100 });
      expect(await heads.last(repo, 7)).toEqual({ sha: "b", at: 100 });
    });

    it("tells pull requests apart, however the repository is spelled", async () => {
      const { heads } = await open();
      await heads.record(repo, 7, { sha: "a", at: 100 });
      expect(await heads.last({ ...repo, owner: "OCTO-ORG" }, 7)).toEqual({ sha: "a", at: 100 });
      expect(await heads.last(repo, 8)).toBeNull();
    });
  });
}
