import * as z from "zod";
import { renderTimestamp, timestamp } from "../../api/schema/fields.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { renderStatusReason } from "../detection/status.ts";
import type { TestAddresses } from "../service/test-context.ts";
import type { TestPage, TestWithStory } from "../service/test-reader.ts";
import type { ListedTest, RunCounts } from "../store/reads/test-records.ts";
import type { pageAnswer } from "./page-query.ts";

const testStatus = z.object({
  value: z.enum(["healthy", "flaky", "broken"]),
  code: z
    .enum([
      "NOTHING_KNOWN",
      "FLIPPED_ON_ONE_TREE",
      "FAILS_NOW_AND_THEN",
      "FAILS_EACH_TIME",
      "FAILS_EVERYWHERE",
      "PASSED_AGAIN",
      "RECOVERED",
    ])
    .describe("The reason, for programs."),
  reason: z.string().describe("The reason, for people."),
  timestamp: timestamp.describe("Since when."),
});

const place = {
  parent: z.string().nullable().describe("The suite that the test is in; null when its report does not say."),
  classname: z.string().nullable(),
};

const codeowners = z
  .array(z.string())
  .describe("Who owns the test's file by CODEOWNERS of the base branch; empty when nobody does.");
const variant = z
  .string()
  .describe("What tells runs of one test apart, such as operating systems; empty when nothing does.");

/** The fields of each item in a list of tests. */
const item = {
  name: z.string(),
  ...place,
  file: z.string().nullable(),
  codeowners,
  status_last_updated_at: timestamp.describe("Since when the test has its status."),
  test_case_id: z.uuid(),
  variant,
  quarantine_setting: z
    .enum(["ALWAYS_QUARANTINE", "NEVER_QUARANTINE", "AUTO_QUARANTINE"])
    .describe("What somebody has set about the test; AUTO_QUARANTINE: nothing, its status decides."),
};

export const quarantinedTest = z.object({
  ...item,
  status: z.enum(["HEALTHY", "FLAKY", "BROKEN"]),
  quarantined_at: timestamp,
});

const repositoryAddress = z.object({ html_url: z.string() });
const testAddress = z.string().describe("The page of the test in the dashboard.");

/** A test that was found to be flaky, broken or failing. Clients of the hosted API use the second names of some fields. */
export const foundTest = z.object({
  ...item,
  id: z.uuid().describe("As `test_case_id`."),
  repository: repositoryAddress,
  html_url: testAddress,
  file_path: z.string().nullable().describe("As `file`."),
  status: testStatus,
  quarantined: z.boolean(),
});

const minutes = z.number().min(0);

export const testDetails = z.object({
  id: z.uuid(),
  repository: repositoryAddress,
  html_url: testAddress,
  name: z.string(),
  variant,
  renamed_from: z
    .string()
    .nullable()
    .describe(
      "The name that the test had before; null when none is known. Its runs under that name are counted, too.",
    ),
  status: testStatus,
  most_common_failures: z
    .array(
      z.object({
        summary: z
          .string()
          .describe("The failure in one line, without the details that differ between runs."),
        occurrence_count: z.int().min(1),
        last_occurrence: timestamp,
      }),
    )
    .describe("The 5 most frequent failures of the last 7 days."),
  failure_rate_last_7d: z
    .number()
    .min(0)
    .max(1)
    .describe(
      "Failed runs as a fraction of all runs that were not skipped; forgiven failures are failures. 0 when there was no run.",
    ),
  failure_rate_last_24h: z.number().min(0).max(1),
  codeowners,
  pull_requests_impacted_last_7d: z
    .int()
    .min(0)
    .describe(
      "The number of pull requests that it failed, in the queue or before, where the failure was not forgiven.",
    ),
  cost_last_7d: z
    .object({
      held_up_minutes: minutes.describe(
        "From failures on pull requests until the same job ran on the same tree without one.",
      ),
      queue_ci_minutes: minutes
        .nullable()
        .describe("How long the queue's test runs took in which it failed; null when there was none."),
      outside_test_minutes: minutes
        .nullable()
        .describe(
          "How long all tests of the jobs took, by their reports, that it failed outside the queue and that ran again on the same tree; null when no time is known. The jobs took another time, which is not known.",
        ),
    })
    .describe("Time that it cost where its failure was not forgiven."),
  quarantined: z.boolean(),
  file_path: z.string().nullable(),
  ...place,
  ticket: z.object({ html_url: z.string() }).optional().describe("Absent when no ticket is linked."),
});

export function presentPage(page: TestPage): z.output<typeof pageAnswer> {
  return {
    total_rows: page.totalRows,
    total_pages: page.totalRows === 0 ? 0 : page.totalPages,
    // Clients count pages from 0.
    page_index: page.index - 1,
    next_page_token: page.next,
    prev_page_token: page.previous,
    last_page_token: page.last,
  };
}

export function presentQuarantined(test: ListedTest): z.output<typeof quarantinedTest> {
  return {
    ...presentItem(test),
    status: test.status.status,
    quarantined_at: renderTimestamp(test.at),
  };
}

export function presentFound(
  test: ListedTest,
  repo: RepositoryRef,
  addresses: TestAddresses,
): z.output<typeof foundTest> {
  return {
    ...presentItem(test),
    id: test.id,
    repository: { html_url: addresses.repository(repo) },
    html_url: addresses.test(repo, test.id),
    file_path: test.file,
    status: presentStatus(test),
    quarantined: test.quarantinedAt !== null,
  };
}

export function presentDetails(
  { test, cost }: Pick<TestWithStory, "test" | "cost">,
  addresses: TestAddresses,
): z.output<typeof testDetails> {
  const { id, name, variant, parent, classname, file, repo, ticketUrl } = test;
  return {
    id,
    repository: { html_url: addresses.repository(repo) },
    html_url: addresses.test(repo, id),
    ...{ name, variant, parent, classname, file_path: file },
    renamed_from: test.renamedFrom,
    status: presentStatus(test),
    most_common_failures: test.commonFailures.map(({ summary, count, lastAt }) => ({
      summary,
      occurrence_count: count,
      last_occurrence: renderTimestamp(lastAt),
    })),
    failure_rate_last_7d: rateOf(test.lastWeek),
    failure_rate_last_24h: rateOf(test.lastDay),
    codeowners: [...test.codeowners],
    pull_requests_impacted_last_7d: test.pullRequestsImpacted,
    cost_last_7d: {
      held_up_minutes: minutesOf(cost.heldUpMs),
      queue_ci_minutes: cost.queueMs === null ? null : minutesOf(cost.queueMs),
      outside_test_minutes: cost.outsideMs === null ? null : minutesOf(cost.outsideMs),
    },
    quarantined: test.quarantinedAt !== null,
    ...(ticketUrl === null ? {} : { ticket: { html_url: ticketUrl } }),
  };
}

function presentItem(test: ListedTest) {
  const { name, parent, file, classname, codeowners, status, id, variant, mode } = test;
  return {
    quarantine_setting: `${mode}_QUARANTINE` as const,
    ...{ name, parent, file, classname, variant },
    codeowners: [...codeowners],
    status_last_updated_at: renderTimestamp(status.at),
    test_case_id: id,
  };
}

function presentStatus({ status: { status, at, reason } }: Pick<ListedTest, "status">) {
  const value = status.toLowerCase() as Lowercase<typeof status>;
  return { value, code: reason.code, reason: renderStatusReason(reason), timestamp: renderTimestamp(at) };
}

/** To a tenth of a minute. */
function minutesOf(ms: number): number {
  return Math.round(ms / 6_000) / 10;
}

function rateOf({ runs, failures }: RunCounts): number {
  return runs === 0 ? 0 : failures / runs;
}
