import { describe, expect, it } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { TargetUpload } from "../../src/store/queue/target-store.ts";
import { repo } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const head = "a".repeat(40);

function buildUpload(
  targets: TargetUpload["targets"],
  source: TargetUpload["source"] = "organisation",
): TargetUpload {
  return { repo, pr: 7, headSha: head, source, targets, uploadedAt: 1_000 };
}

export function targetStoreContract(create: CreateDatabase): void {
  describe("the target store", () => {
    const open = databaseForEachTest(create);

    it.each<{ targets: TargetUpload["targets"] }>([
      { targets: "ALL" },
      { targets: TargetSet.of([]) },
      { targets: TargetSet.of([0, 7, 4_294_967_295]) },
    ])("returns $targets as uploaded", async ({ targets }) => {
      const store = await open();
      await store.targets.put(buildUpload(targets));
      expect(await store.targets.get(repo, 7, head)).toEqual(buildUpload(targets));
      expect(await store.targets.has(repo, 7, head)).toBe(true);
    });

    it("returns the targets of many heads at the same time", async () => {
      const { targets } = await open();
      const sha = (pr: number) => String(pr).repeat(40);
      // An older head of the second pull request is the head of the first one.
      for (const [pr, headSha] of [
        [1, sha(1)],
        [2, sha(1)],
        [2, sha(2)],
      ] as const)
        await targets.put({ ...buildUpload(TargetSet.of([pr, headSha.length])), pr, headSha });
      const asked = [1, 2, 3].map(async (pr) => (await targets.get(repo, pr, sha(pr)))?.targets);
      expect(await Promise.all(asked)).toEqual([TargetSet.of([1, 40]), TargetSet.of([2, 40]), undefined]);
    });

    it("returns the uploaded names, and the total number of targets", async () => {
      const { targets } = await open();
      expect(await targets.names(repo, 7, head)).toBeNull();
      const named = { names: ["//a", "//b ünï"], total: 4_711 };
      await targets.put(buildUpload(TargetSet.of([1, 2])), named);
      expect(await targets.names(repo, 7, head)).toEqual(named);
      expect(await targets.names(repo, 7, "b".repeat(40))).toBeNull();
      await targets.put(buildUpload("ALL"), { names: [], total: "ALL" });
      expect(await targets.names(repo, 7, head)).toEqual({ names: [], total: "ALL" });
    });

    it("adds the names of a fork to those that were uploaded with a token", async () => {
      const { targets } = await open();
      await targets.put(buildUpload(TargetSet.of([1, 3])), { names: ["one", "three"], total: 2 });
      await targets.put(buildUpload(TargetSet.of([3, 2]), "fork"), { names: ["three", "two"], total: 2 });
      expect(await targets.names(repo, 7, head)).toEqual({ names: ["one", "three", "two"], total: 3 });
    });

    it("forgets names after 30 days", async () => {
      const { targets } = await open();
      await targets.put(buildUpload(TargetSet.of([1])), { names: ["one"], total: 1 });
      const later = { ...buildUpload(TargetSet.of([2])), pr: 8, uploadedAt: 1_001 + 30 * 86_400_000 };
      await targets.put(later, { names: ["two"], total: 1 });
      expect(await targets.names(repo, 7, head)).toBeNull();
      expect(await targets.names(repo, 8, head)).toEqual({ names: ["two"], total: 1 });
    });

    it("returns nothing for another head, pull request or repository", async () => {
      const { targets } = await open();
      await targets.put(buildUpload("ALL"));
      expect(await targets.get(repo, 7, "b".repeat(40))).toBeNull();
      expect(await targets.has(repo, 7, "b".repeat(40))).toBe(false);
      expect(await targets.has(repo, 8, head)).toBe(false);
      expect(await targets.has({ ...repo, owner: "other" }, 7, head)).toBe(false);
      expect(await targets.has({ ...repo, owner: "OCTO-org" }, 7, head)).toBe(true);
    });

    it("keeps the last upload for a head", async () => {
      const { targets } = await open();
      await targets.put(buildUpload(TargetSet.of([1])));
      const later = {
        ...buildUpload(TargetSet.of([2])),
        repo: { ...repo, owner: "octo-org" },
        uploadedAt: 2_000,
      };
      await targets.put(later);
      expect(await targets.get(repo, 7, head)).toEqual(later);
    });

    it("only adds a fork's targets to those that were uploaded with a token for the same head", async () => {
      const { targets } = await open();
      await targets.put(buildUpload(TargetSet.of([1, 3])));
      const both = { source: "organisation", targets: TargetSet.of([1, 2, 3]) };
      expect(await targets.put(buildUpload(TargetSet.of([3, 2]), "fork"))).toEqual(both);
      expect(await targets.get(repo, 7, head)).toMatchObject(both);
      expect(await targets.put(buildUpload("ALL", "fork"))).toMatchObject({ targets: "ALL" });
      expect(await targets.put(buildUpload(TargetSet.of([2]), "fork"))).toMatchObject({ targets: "ALL" });
      await targets.put(buildUpload(TargetSet.of([4])));
      expect(await targets.get(repo, 7, head)).toEqual(buildUpload(TargetSet.of([4])));
    });

    it("replaces combined targets by ALL when they exceed the limit of one upload", async () => {
      const { targets } = await open();
      const numbers = (from: number) => Array.from({ length: 3_600_000 }, (_, index) => from + index);
      await targets.put(buildUpload(TargetSet.of(numbers(0))));
      const added = await targets.put(buildUpload(TargetSet.of(numbers(3_600_000)), "fork"));
      expect(added).toEqual({ source: "organisation", targets: "ALL" });
    });

    it("accepts as many targets as 20 MiB can name", async () => {
      const { targets } = await open();
      const many = TargetSet.of(Array.from({ length: 7_000_000 }, (_, index) => index * 613));
      await targets.put(buildUpload(many));
      const read = (await targets.get(repo, 7, head))?.targets;
      if (!(read instanceof TargetSet)) throw new Error("they are not there");
      // `toEqual` takes seconds for so many numbers.
      const numbersOf = (set: TargetSet) => Buffer.from(Uint32Array.from(set).buffer);
      expect(numbersOf(read).equals(numbersOf(many))).toBe(true);
    });
  });
}
