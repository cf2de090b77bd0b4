import { describe, expect, it } from "@jest/globals";
import { buildNamedTest, testRepo } from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const elsewhere = { ...testRepo, owner: "Elsewhere" };

export function testOwnerStoreContract(create: CreateDatabase): void {
  describe("the test owner store", () => {
    const open = databaseForEachTest(create);

    /** Two repositories that have tests with the same ids. */
    async function openWithTests(...names: string[]) {
      const { testResults, testOwners } = await open();
      const [own, foreign] = [
        await testResults.addRepository(testRepo),
        await testResults.addRepository(elsewhere),
      ];
      for (const { id } of [own, foreign]) await testResults.know(id, names.map(buildNamedTest), 1_000);
      const ownersOf = async (repositoryId: number) =>
        (await testOwners.tests(repositoryId, 0, 1_000)).map(({ owners }) => owners);
      return { testOwners, testResults, own: own.id, foreign: foreign.id, ownersOf };
    }

    it("keeps the last CODEOWNERS file of each repository", async () => {
      const { testOwners, own, foreign } = await openWithTests();
      expect(await testOwners.codeowners(own)).toEqual({ repo: testRepo, text: null, readAt: null });
      await testOwners.keepCodeowners(own, "* @acme/all", 5);
      expect(await testOwners.codeowners(own)).toEqual({ repo: testRepo, text: "* @acme/all", readAt: 5 });
      await testOwners.keepCodeowners(own, null, 9);
      expect(await testOwners.codeowners(own)).toEqual({ repo: testRepo, text: null, readAt: 9 });
      expect(await testOwners.codeowners(foreign)).toEqual({ repo: elsewhere, text: null, readAt: null });
      await expect(testOwners.codeowners(own + foreign)).rejects.toThrow();
    });

    it("returns the tests of one repository by their numbers, each once", async () => {
      const { testOwners, testResults, own } = await openWithTests("a", "b", "c");
      const named = { ...buildNamedTest("d"), file: "src/d.test.ts", classname: "D", owners: ["@acme/d"] };
      await testResults.know(own, [named], 1_000);
      const pages = [];
      for (let after = 0; pages.length < 9; ) {
        const page = await testOwners.tests(own, after, 3);
        if (page.length === 0) break;
        pages.push(page);
        after = page.at(-1)?.sk ?? 0;
      }
      expect(pages.map((page) => page.length)).toEqual([3, 1]);
      const all = pages.flat();
      expect(all.map(({ sk }) => sk)).toEqual(
        [...new Set(all.map(({ sk }) => sk))].sort((one, other) => one - other),
      );
      expect(all[0]).toMatchObject({ file: null, classname: null, owners: null });
      expect(all[3]).toMatchObject({ file: "src/d.test.ts", classname: "D", owners: ["@acme/d"] });
    });

    it("sets the owners of the given tests only", async () => {
      const { testOwners, own, foreign, ownersOf } = await openWithTests("a", "b", "c");
      const [a, b] = await testOwners.tests(own, 0, 2);
      const sks = [a?.sk ?? -1, b?.sk ?? -1];
      await testOwners.setOwners(sks, ["@acme/a", "b@acme.example"]);
      await testOwners.setOwners(sks.slice(1), []);
      expect(await ownersOf(own)).toEqual([["@acme/a", "b@acme.example"], [], null]);
      await testOwners.setOwners(sks.slice(0, 1), null);
      await testOwners.setOwners([], ["@acme/nobody"]);
      expect(await ownersOf(own)).toEqual([null, [], null]);
      expect(await ownersOf(foreign)).toEqual([null, null, null]);
    });

    it("sets the owners of more tests than fit into a statement", async () => {
      const names = Array.from({ length: 700 }, (_, index) => `test-${index}`);
      const { testOwners, own, foreign, ownersOf } = await openWithTests(...names);
      const all = (await testOwners.tests(own, 0, 1_000)).map(({ sk }) => sk);
      await testOwners.setOwners(all, ["@acme/all"]);
      expect(new Set((await ownersOf(own)).map(String))).toEqual(new Set(["@acme/all"]));
      expect(new Set(await ownersOf(foreign))).toEqual(new Set([null]));
    });
  });
}
