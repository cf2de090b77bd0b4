import { repo } from "../../../api/openapi/example-values.ts";
import type { Examples } from "../../../api/openapi/examples.ts";

const tests = { repo, org_url_slug: "acme", page_query: { page_size: 20, page_token: "" } };
const page = {
  total_rows: 1,
  total_pages: 1,
  page_index: 0,
  next_page_token: "",
  prev_page_token: "",
  last_page_token: "",
} as const;
const testCase = {
  name: "pays by card",
  parent: "checkout",
  file: "src/checkout.test.ts",
  classname: "src/checkout.test.ts",
  codeowners: ["@acme/payments"] as string[],
  status_last_updated_at: "2026-03-01T12:00:00.000Z",
  test_case_id: "aad1f138-09ab-5ea9-9c21-af48a03d6edd",
  variant: "",
  quarantine_setting: "AUTO_QUARANTINE",
} as const;
const testStatus = {
  value: "flaky",
  code: "FLIPPED_ON_ONE_TREE",
  reason: "Passed and failed on the same tree ea1d104 (2 episodes)",
  timestamp: "2026-03-01T12:00:00.000Z",
} as const;

const foundTest = {
  ...testCase,
  id: testCase.test_case_id,
  repository: { html_url: "https://github.com/acme/widgets" },
  html_url: `https://trainyard.example/tests/github.com/acme/widgets/${testCase.test_case_id}`,
  file_path: testCase.file,
  status: testStatus,
  quarantined: true,
};

/** Examples of the endpoints that read tests. */
export const testReadingExamples: Pick<
  Examples,
  "listQuarantinedTests" | "listUnhealthyTests" | "listFailingTests" | "getTestDetails"
> = {
  listQuarantinedTests: {
    body: tests,
    answer: {
      quarantined_tests: [
        {
          ...testCase,
          status: "FLAKY",
          quarantine_setting: "AUTO_QUARANTINE",
          quarantined_at: "2026-03-01T12:00:00.000Z",
        },
      ],
      page,
    },
  },
  listUnhealthyTests: {
    body: { ...tests, status: "flaky" },
    answer: { unhealthy_tests: [foundTest], tests: [foundTest], page },
  },
  listFailingTests: {
    body: { ...tests, start: "2026-03-01T00:00:00Z", end: "2026-03-02T00:00:00Z" },
    answer: { failing_tests: [foundTest], tests: [foundTest], page },
  },
  getTestDetails: {
    body: { repo, org_url_slug: "acme", test_id: testCase.test_case_id },
    answer: {
      test: {
        id: testCase.test_case_id,
        repository: { html_url: "https://github.com/acme/widgets" },
        html_url: `https://trainyard.example/tests/github.com/acme/widgets/${testCase.test_case_id}`,
        name: testCase.name,
        variant: "",
        renamed_from: "pays with a card",
        status: testStatus,
        most_common_failures: [
          {
            summary: "Timeout of <n> ms exceeded",
            occurrence_count: 3,
            last_occurrence: "2026-03-01T11:59:00.000Z",
          },
        ],
        failure_rate_last_7d: 0.02,
        failure_rate_last_24h: 0.05,
        codeowners: [...testCase.codeowners],
        pull_requests_impacted_last_7d: 2,
        quarantined: true,
        file_path: testCase.file,
        parent: testCase.parent,
        classname: testCase.classname,
        ticket: { html_url: "https://github.com/acme/widgets/issues/7" },
      },
    },
  },
};
