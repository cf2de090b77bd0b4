import { describe, expect, it } from "@jest/globals";
import { newHistory } from "../../src/flaky/detection/history.ts";
import { buildClaim } from "./build-task.ts";
import { buildEvaluated, buildNamedTest, testRepo } from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function testCountsContract(create: CreateDatabase): void {
  describe("the test counts", () => {
    const open = databaseForEachTest(create);

    it("exist for each repository of an owner, and include current quarantines and whether the budget is spent", async () => {
      const store = await open();
      const { testCounts, testResults, testSettings, testIssues, testEvaluations, quarantines } = store;
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
      const test = await quarantines.find(id, "id-of-turns");
      const changes = [{ status: "FLAKY", at: 30, reason: { code: "RECOVERED", runs: 1 } }] as const;
      const tests = buildEvaluated([[test?.sk ?? 0, { ...newHistory(0), changes }]]);
      expect(await testEvaluations.settle({ uploads: [], tests, at: 30 })).toBe(true);
      await testIssues.plan(id, 40, 1);
      const [due] = await testIssues.claim(buildClaim(40));
      if (due) await testIssues.halt(due, { code: "PERMISSION_MISSING", message: "no", at: 5 });
      const [, off] = await testCounts.ofOwner("acme", 1_600);
      expect(off).toEqual({
        ...widgets,
        byStatus: { HEALTHY: 2, FLAKY: 1, BROKEN: 0 },
        ...{ quarantined: 0, isBudgetSpent: false, areIssuesRefused: true },
      });
    });
  });
}
