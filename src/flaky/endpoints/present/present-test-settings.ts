import type * as z from "zod";
import { renderTimestamp } from "../../../api/schema/fields.ts";
import type { TestRules } from "../../store/quarantines/test-settings-store.ts";
import type { TestSettingChanges, TestSettings } from "../../test-settings.ts";
import { camelCased, type testSettingChanges, type testSettingsAnswer } from "../schema/test-settings.ts";

/** Returns the settings that a body changes. */
export function requestedTestSettings(
  body: z.output<z.ZodObject<typeof testSettingChanges>>,
): TestSettingChanges {
  const said = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said.map(([name, value]) => [camelCased(name), value]));
}

export function presentTestSettings({
  settings,
  budgetSpentAt,
  issuesRefused,
}: TestRules): z.output<typeof testSettingsAnswer> {
  return {
    ...onTheWire(settings),
    quarantine_budget_spent_at: budgetSpentAt === null ? null : renderTimestamp(budgetSpentAt),
    issues_refused: issuesRefused && { ...issuesRefused, at: renderTimestamp(issuesRefused.at) },
  };
}

function onTheWire(settings: TestSettings) {
  return {
    quarantining: settings.quarantining,
    quarantine_days: settings.quarantineDays,
    quarantine_max_tests: settings.quarantineMaxTests,
    quarantine_max_share: settings.quarantineMaxShare,
    outage_failures: settings.outageFailures,
    outage_share: settings.outageShare,
    flaky_episodes: settings.flakyEpisodes,
    broken_failures: settings.brokenFailures,
    recovery_runs: settings.recoveryRuns,
    recovery_hours: settings.recoveryHours,
    retry_new_tests: settings.retryNewTests,
    issues: settings.issues,
    issue_labels: [...settings.issueLabels],
  };
}
