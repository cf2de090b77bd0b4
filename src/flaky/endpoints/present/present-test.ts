import type * as z from "zod";
import { renderTimestamp } from "../../../api/schema/fields.ts";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { renderStatusReason } from "../../detection/status.ts";
import type { TestAddresses, TestPage } from "../../service/test-reader.ts";
import type { ListedTest, RunCounts, TestDetails } from "../../store/reads/stored-test-reads.ts";
import type { pageAnswer } from "../schema/page-query.ts";
import type { foundTest, quarantinedTest, testDetails } from "../schema/test-case.ts";

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

export function presentDetails(test: TestDetails, addresses: TestAddresses): z.output<typeof testDetails> {
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

function rateOf({ runs, failures }: RunCounts): number {
  return runs === 0 ? 0 : failures / runs;
}
