import { describe, expect, it } from "@jest/globals";
import type { Publication } from "../../src/store/queue/publication-store.ts";
import { repo } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const nothing: Publication = {
  commentId: null,
  commentDigest: null,
  commentMark: null,
  checkRunId: null,
  checkSha: null,
  checkDigest: null,
  notice: null,
};

export function publicationStoreContract(create: CreateDatabase): void {
  describe("the publication store", () => {
    const open = databaseForEachTest(create);

    it("returns empty values until something was published", async () => {
      const { publications } = await open();
      expect(await publications.get(repo, 7)).toEqual(nothing);
      await publications.put(repo, 7, {}, 1);
      expect(await publications.get(repo, 7)).toEqual(nothing);
    });

    it("finds the pull requests whose check is on a commit", async () => {
      const { publications } = await open();
      await publications.put(repo, 8, { checkSha: "s" }, 1);
      await publications.put(repo, 7, { checkSha: "s" }, 1);
      await publications.put(repo, 9, { checkSha: "other" }, 1);
      await publications.put({ ...repo, name: "elsewhere" }, 5, { checkSha: "s" }, 1);
      expect(await publications.checkedAt(repo, "s")).toEqual([7, 8]);
    });

    it("updates the given fields, and keeps the others", async () => {
      const { publications } = await open();
      await publications.put(
        repo,
        7,
        { commentId: "IC_1", commentDigest: "d1", commentMark: "m", notice: "queued" },
        1,
      );
      await publications.put(
        repo,
        7,
        {
          checkRunId: "CR_1",
          checkSha: "s",
          checkDigest: "d2",
          notice: null,
        },
        1,
      );
      expect(await publications.get(repo, 7)).toEqual({
        commentId: "IC_1",
        commentDigest: "d1",
        commentMark: "m",
        checkRunId: "CR_1",
        checkSha: "s",
        checkDigest: "d2",
        notice: null,
      });
    });

    it("separates pull requests by repository and number, and matches the repository regardless of case", async () => {
      const { publications } = await open();
      await publications.put(repo, 7, { commentId: "IC_1" }, 1);
      expect((await publications.get({ ...repo, name: "TRAIN" }, 7)).commentId).toBe("IC_1");
      expect(await publications.get(repo, 8)).toEqual(nothing);
      expect(await publications.get({ ...repo, name: "Trains" }, 7)).toEqual(nothing);
      expect(await publications.get({ ...repo, host: "ghe.example.com" }, 7)).toEqual(nothing);
    });
  });
}
