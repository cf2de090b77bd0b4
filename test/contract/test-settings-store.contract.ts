import { describe, expect, it } from "@jest/globals";
import { defaultTestSettings } from "../../src/flaky/test-settings.ts";
import { testRepo } from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function testSettingsStoreContract(create: CreateDatabase): void {
  describe("the test settings", () => {
    const open = databaseForEachTest(create);

    async function openWithRepository() {
      const store = await open();
      return { ...store, id: (await store.testResults.addRepository(testRepo)).id };
    }

    it("have defaults, and keep the values that a change does not mention", async () => {
      const { testSettings, id } = await openWithRepository();
      expect(await testSettings.rules(id)).toEqual({
        repo: testRepo,
        settings: defaultTestSettings,
        budgetSpentAt: null,
        issuesRefused: null,
      });
      await testSettings.change(id, { quarantineDays: 7, issueLabels: ["flaky"] });
      const { settings } = await testSettings.change(id, { quarantining: false, quarantineDays: null });
      expect(settings).toEqual({ ...defaultTestSettings, quarantining: false, issueLabels: ["flaky"] });
      expect((await testSettings.rules(id)).settings).toEqual(settings);
    });

    it("affect quarantine plans and uploads of their own repository only", async () => {
      const { testSettings, testResults, quarantines, id } = await openWithRepository();
      const other = await testResults.addRepository({ ...testRepo, name: "gadgets" });
      await testSettings.change(id, { quarantining: false, quarantineMaxTests: 3, outageFailures: 7 });
      const seen = async (repositoryId: number) => {
        const budgets: unknown[] = [];
        await quarantines.revise(repositoryId, [], 0, ({ settings }) => {
          budgets.push(settings.enabled, settings.budget.tests);
          return { revisions: [], isBudgetSpent: null };
        });
        return budgets;
      };
      expect(await seen(id)).toEqual([false, 3]);
      expect(await seen(other.id)).toEqual([true, 20]);
      const found = await testResults.repository(testRepo);
      expect(found).toMatchObject({ quarantining: false, detection: { infrastructure: { fewFailures: 7 } } });
    });

    it("of an unknown repository are an error", async () => {
      const { testSettings, id } = await openWithRepository();
      await expect(testSettings.rules(id + 1)).rejects.toThrow();
      await expect(testSettings.change(id + 1, { issues: true })).rejects.toThrow();
    });
  });
}
