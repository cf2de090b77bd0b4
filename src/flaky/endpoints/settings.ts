import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";
import { repository } from "../../api/schema/addresses.ts";
import { renderTimestamp, textList, timestamp } from "../../api/schema/fields.ts";
import { changesBetween } from "../../service/access/audit-changes.ts";
import { noteChanges } from "../../service/access/audit-trail.ts";
import type { TestRules } from "../store/quarantines/test-settings-store.ts";
import {
  testSettingBounds as bounds,
  type TestSettingChanges,
  type TestSettings,
  defaultTestSettings as usual,
} from "../test-settings.ts";

const whole = ({ least, most }: { least: number; most: number }) => z.int().min(least).max(most);
const fraction = ({ least, most }: { least: number; most: number }) => z.number().min(least).max(most);

/** The settings of a repository's tests, by their names on the wire. Answers hold all of them, requests some. */
const settings = {
  quarantining: z
    .boolean()
    .describe("Whether failures are forgiven at all. If false, quarantines are kept but have no effect."),
  quarantine_days: whole(bounds.quarantineDays).describe("How long a quarantine lasts by default, in days."),
  quarantine_max_tests: whole(bounds.quarantineMaxTests).describe(
    "The most tests that may be quarantined automatically, unless `quarantine_max_share` allows more.",
  ),
  quarantine_max_share: fraction(bounds.quarantineMaxShare).describe(
    "The largest fraction of the repository's tests that may be quarantined automatically, unless `quarantine_max_tests` allows more.",
  ),
  outage_failures: whole(bounds.outageFailures).describe(
    "An upload with at least this many failures may be an outage, whose failures count against no test.",
  ),
  outage_share: fraction(bounds.outageShare).describe(
    "Such an upload is an outage if at least this fraction of its tests failed, or many more than usual.",
  ),
  flaky_episodes: whole(bounds.flakyEpisodes).describe(
    "A test is flaky once it has both passed and failed on one tree this many times in 14 days.",
  ),
  broken_failures: whole(bounds.brokenFailures).describe(
    "A test is broken once it has failed this many times in a row on stable branches.",
  ),
  recovery_runs: whole(bounds.recoveryRuns).describe(
    "The fewest passing runs in a row after which a flaky test is healthy again. A test that fails rarely needs more.",
  ),
  recovery_hours: whole(bounds.recoveryHours).describe(
    "How long a flaky test must not fail before it is healthy again, in hours.",
  ),
  retry_new_tests: z
    .boolean()
    .describe("Whether a check of the queue in which only new tests failed is run again, once."),
  issues: z.boolean().describe("Whether an issue is opened for each test that is flaky or broken."),
  issue_labels: textList({
    maxItems: bounds.issueLabels.most,
    emptyItems: false,
    maxBytes: bounds.issueLabels.longest,
  }).describe("The labels of these issues."),
};

type SettingName = keyof typeof settings;
type Changes = { [Name in SettingName]: z.ZodOptional<z.ZodNullable<(typeof settings)[Name]>> };

/** The settings that `updateTestSettings` can set. Absent = unchanged, null = the default. */
export const testSettingChanges = Object.fromEntries(
  Object.entries(settings).map(([name, field]) => [
    name,
    (field as z.ZodType)
      .nullable()
      .optional()
      .describe(`${field.description} null: ${JSON.stringify(usual[camelCased(name)])}.`),
  ]),
) as Changes;

export const testSettingsAnswer = z.object({
  ...settings,
  issue_labels: z.array(z.string()),
  quarantine_budget_spent_at: timestamp
    .nullable()
    .describe("The time since which flaky tests are not quarantined, because too many already are."),
  issues_refused: z
    .object({
      code: z.enum(["PERMISSION_MISSING", "ISSUES_DISABLED", "APP_NOT_INSTALLED"]),
      message: z.string().describe("The code host's own message."),
      at: timestamp,
    })
    .nullable()
    .describe(
      "Why no issues are opened although `issues` is true. Tried again once a day, and after each update.",
    ),
});

/** `quarantine_days` → `quarantineDays`. */
export function camelCased(name: string): keyof typeof usual {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof typeof usual;
}

export const getTestSettings = repositoryEndpoint(
  {
    path: "flaky-tests/get-test-settings",
    summary: "Reads the test settings of a repository, and what prevents them from taking effect.",
    scope: "read",
    kind: "question",
    body: z.strictObject({ repo: repository }),
    answer: testSettingsAnswer,
  },
  async ({ repo }, { testSettings }) => presented(await testSettings.get(repo), presentTestSettings),
);

export const updateTestSettings = repositoryEndpoint(
  {
    path: "flaky-tests/update-test-settings",
    summary: "Changes the test settings of a repository. Absent fields stay as they are.",
    scope: "queue:admin",
    kind: "command",
    // Strict, as for queues: a misspelt setting must not seem to be set.
    body: z.strictObject({ repo: repository, ...testSettingChanges }),
    answer: testSettingsAnswer,
  },
  async ({ repo, ...changes }, { testSettings }) => {
    const updated = await testSettings.update(repo, requestedTestSettings(changes));
    if (updated.ok) {
      const { before, settings: after } = updated.value;
      noteChanges({ changes: changesBetween(onTheWire(before), onTheWire(after)) });
    }
    return presented(updated, presentTestSettings);
  },
);

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
