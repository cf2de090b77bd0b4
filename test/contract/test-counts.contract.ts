import { describe, expect, it } from "@jest/globals";
import { buildNamedTest, testRepo } from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function testCountsContract(create: CreateDatabase): void {
  describe("the counts of tests", () => {
    const open = databaseForEachTest(create);

    it("are of each repository of an owner, and know what is forgiven now and whether there is room", async () => {
      const { testCounts, testResults, testSettings, testIssues, quarantines } = await open();
      const { id } = await testResults.addRepository(testRepo);
      await testResults.addRepository({ ...testRepo, owner: "others" });
      const gadgets = { ...testRepo, name: "Gadgets" };
      await testResults.addRepository(gadgets);
      await testResults.know(id, ["spins", "turns", "stops"].map(buildNamedTest), 1_000);
      const quarantine = { since: 0, expiresAt: 2_000, owner: null, reason: "" };
      await quarantines.revise(id, ["id-of-turns", "id-of-stops"], 1_000, ({ candidates }) => ({
        revisions: candidates.map(({ sk, name }) => ({
          ...{ sk, mode: "ALWAYS", isQuarantined: true },
          quarantine: name === "turns" ? quarantine : { ...quarantine, expiresAt: 1_500 },
        })),
        isBudgetSpent: true,
      }));
      const widgets = {
        repo: testRepo,
        byStatus: { HEALTHY: 3, FLAKY: 0, BROKEN: 0 },
        ...{ quarantined: 1, isBudgetSpent: true, areIssuesRefused: false },
      };
      const none = {
        byStatus: { HEALTHY: 0, FLAKY: 0, BROKEN: 0 },
        quarantined: 0,
        isBudgetSpent: false,
        areIssuesRefused: false,
      };
      expect(await testCounts.ofOwner("ACME", 1_600)).toEqual([{ repo: gadgets, ...none }, widgets]);
      await testSettings.change(id, { quarantining: false, issues: true });
      await testIssues.halt(id, { code: "PERMISSION_MISSING", message: "no", at: 5 });
      const [, off] = await testCounts.ofOwner("acme", 1_600);
      expect(off).toEqual({ ...widgets, quarantined: 0, isBudgetSpent: false, areIssuesRefused: true });
    });
  });
}
