import * as z from "zod";
import { testSettingBounds as bounds, defaultTestSettings as usual } from "../../flaky/test-settings.ts";
import { textList } from "./text-list.ts";
import { timestamp } from "./timestamp.ts";

const whole = ({ least, most }: { least: number; most: number }) => z.int().min(least).max(most);
const fraction = ({ least, most }: { least: number; most: number }) => z.number().min(least).max(most);

/** The settings of a repository's tests, by their names on the wire. Answers hold all of them, requests some. */
const settings = {
  quarantining: z
    .boolean()
    .describe("Whether failures are forgiven at all. Switched off, quarantines are kept and do not count."),
  quarantine_days: whole(bounds.quarantineDays).describe("How long a quarantine lasts unless it is told."),
  quarantine_max_tests: whole(bounds.quarantineMaxTests).describe(
    "So many tests may be quarantined automatically, or `quarantine_max_share` of them, whichever is more.",
  ),
  quarantine_max_share: fraction(bounds.quarantineMaxShare).describe("A fraction of the repository's tests."),
  outage_failures: whole(bounds.outageFailures).describe(
    "An upload with so many failures may be an outage, which is held against no test.",
  ),
  outage_share: fraction(bounds.outageShare).describe(
    "It is one if so large a fraction of its tests failed, or many more than usual.",
  ),
  flaky_episodes: whole(bounds.flakyEpisodes).describe(
    "How often, in 14 days, a test passes and fails on one tree until it is flaky.",
  ),
  broken_failures: whole(bounds.brokenFailures).describe(
    "How often in a row a test fails on stable branches until it is broken.",
  ),
  recovery_runs: whole(bounds.recoveryRuns).describe(
    "So many clean runs a flaky test needs at least to be healthy again; more if it fails seldom.",
  ),
  recovery_hours: whole(bounds.recoveryHours).describe("For so long it has to be clean."),
  retry_new_tests: z
    .boolean()
    .describe("Whether a check of the queue in which only new tests failed runs again, once."),
  issues: z.boolean().describe("Whether an issue is opened for each test that is flaky or broken."),
  issue_labels: textList({
    maxItems: bounds.issueLabels.most,
    emptyItems: false,
    maxBytes: bounds.issueLabels.longest,
  }).describe("Labels of these issues."),
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
    .describe("Since when a flaky test is not quarantined because too many are."),
  issues_refused: z
    .object({
      code: z.enum(["PERMISSION_MISSING", "ISSUES_DISABLED", "APP_NOT_INSTALLED"]),
      message: z.string().describe("In the words of the code host."),
      at: timestamp,
    })
    .nullable()
    .describe(
      "Why no issues are opened although that is set. Tried again once a day, and after each update.",
    ),
});

/** `quarantine_days` → `quarantineDays`. */
export function camelCased(name: string): keyof typeof usual {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof typeof usual;
}
