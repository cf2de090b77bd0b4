import { describe, expect, it } from "@jest/globals";
import type { BundleAddress } from "../../src/flaky/store/uploads/bundle-store.ts";
import type { TestRepository } from "../../src/flaky/store/uploads/upload-records.ts";
import { testRepo } from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

/** The repository as the lookup of an address returns it. */
function asFound({ detection: _, ...repository }: TestRepository) {
  return repository;
}

export function bundleStoreContract(create: CreateDatabase): void {
  describe("the bundle address store", () => {
    const open = databaseForEachTest(create);

    async function openWithRepository() {
      const { bundles, testResults } = await open();
      const repository = await testResults.addRepository(testRepo);
      const address = (id: string, expiresAt = 2_000): BundleAddress => ({
        ...{ id, expiresAt },
        secretSha256: `digest-of-${id}`,
        repositoryId: repository.id,
      });
      return { bundles, testResults, repository, address };
    }

    it("finds an address with its repository, and no other address", async () => {
      const { bundles, testResults, repository, address } = await openWithRepository();
      const other = await testResults.addRepository({ ...testRepo, owner: "Elsewhere" });
      await bundles.add(address("own"), 1_000);
      await bundles.add({ ...address("foreign"), repositoryId: other.id }, 1_000);
      expect(await bundles.find("own", 1_000)).toEqual({
        address: address("own"),
        repository: asFound(repository),
      });
      expect((await bundles.find("foreign", 1_000))?.repository).toEqual(asFound(other));
      expect(await bundles.find("OWN", 1_000)).toBeNull();
      expect(await bundles.find("", 1_000)).toBeNull();
    });

    it("finds no expired address, and deletes it when another is added", async () => {
      const { bundles, address } = await openWithRepository();
      await bundles.add(address("short", 2_000), 1_000);
      await bundles.add(address("long", 9_000), 1_000);
      expect(await bundles.find("short", 1_999)).not.toBeNull();
      expect(await bundles.find("short", 2_000)).toBeNull();
      await bundles.add(address("later", 9_000), 2_000);
      // The expired address is deleted: a clock that is behind does not find it, either.
      expect(await bundles.find("short", 1_000)).toBeNull();
      expect(await bundles.find("long", 2_000)).not.toBeNull();
    });

    it("assigns an address once when several callers add it at the same time", async () => {
      const { bundles, address } = await openWithRepository();
      const digests = ["a", "b", "c"];
      const added = await Promise.allSettled(
        digests.map((secretSha256) => bundles.add({ ...address("one"), secretSha256 }, 1_000)),
      );
      const won = digests.filter((_, index) => added[index]?.status === "fulfilled");
      expect(won).toHaveLength(1);
      expect((await bundles.find("one", 1_000))?.address.secretSha256).toBe(won[0]);
    });

    it("is shared by all processes", async () => {
      const { bundles, address } = await openWithRepository();
      const other = await open();
      await bundles.add(address("one"), 1_000);
      expect((await other.bundles.find("one", 1_000))?.address).toEqual(address("one"));
    });
  });
}
