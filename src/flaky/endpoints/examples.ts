import { repo, sha } from "../../api/openapi/example-values.ts";
import type { Examples } from "../../api/openapi/examples.ts";
import type { testEndpoints } from "./test-endpoints.ts";

const report =
  '<testsuite name="widget" tests="2" failures="1"><testcase classname="widget" name="spins"/><testcase classname="widget" name="turns"><failure message="expected 2, got 3"/></testcase></testsuite>';

const quarantine = {
  test_case_id: "aad1f138-09ab-5ea9-9c21-af48a03d6edd",
  name: "turns",
  parent: "widget",
  file: "src/widget.test.ts",
  classname: "widget",
  variant: "",
  quarantine_setting: "ALWAYS_QUARANTINE",
  quarantined: true,
  quarantined_at: "2026-03-01T12:00:00.000Z",
  expires_at: "2026-03-31T12:00:00.000Z",
  owner: "@acme/widgets",
  reason: "Waits for a clock",
  ticket_url: "https://tickets.acme.example/W-12",
} as const;

const settings = {
  quarantining: true,
  quarantine_days: 14,
  quarantine_max_tests: 20,
  quarantine_max_share: 0.02,
  outage_failures: 20,
  outage_share: 0.05,
  flaky_episodes: 1,
  broken_failures: 3,
  recovery_runs: 20,
  recovery_hours: 24,
  retry_new_tests: false,
  issues: true,
  issue_labels: ["flaky-test"],
  quarantine_budget_spent_at: null,
  issues_refused: null,
};

const { quarantined_at: _began, ...importable } = quarantine;

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

export const testExamples: Pick<Examples, keyof typeof testEndpoints> = {
  setQuarantine: {
    body: {
      repo,
      test_case_id: quarantine.test_case_id,
      quarantine_setting: "ALWAYS_QUARANTINE",
      reason: quarantine.reason,
      expires_at: "2026-03-31T12:00:00Z",
    },
    answer: quarantine,
  },
  linkTicketToTestCase: {
    body: { repo, test_case_id: quarantine.test_case_id, external_ticket_id: quarantine.ticket_url },
    answer: quarantine,
  },
  exportQuarantines: { body: { repo }, answer: { quarantines: [quarantine] } },
  importQuarantines: { body: { repo, quarantines: [importable] }, answer: { imported: 1 } },
  getTestSettings: { body: { repo }, answer: settings },
  updateTestSettings: {
    body: { repo, quarantine_days: 14, issues: true, issue_labels: ["flaky-test"] },
    answer: settings,
  },
  createBundleUpload: {
    body: { repo, orgUrlSlug: "acme", clientVersion: "0.13.3", remoteUrls: [] },
    answer: {
      id: "6f1c1c6e-6f0e-4a53-9a26-0d9f1d5f6a11",
      idV2: "6f1c1c6e-6f0e-4a53-9a26-0d9f1d5f6a11",
      url: "https://trainyard.acme.example/v1/metrics/bundles/6f1c1c6e-6f0e-4a53-9a26-0d9f1d5f6a11?key=…",
      key: "6f1c1c6e-6f0e-4a53-9a26-0d9f1d5f6a11/bundle.tar.zstd",
    },
  },
  getQuarantineConfig: {
    body: {
      repo,
      orgUrlSlug: "acme",
      remoteUrls: [],
      testIdentifiers: [
        {
          id: "aad1f138-09ab-5ea9-9c21-af48a03d6edd",
          name: "turns",
          parentName: "widget",
          className: "widget",
        },
      ],
    },
    answer: { isDisabled: false, testIds: ["aad1f138-09ab-5ea9-9c21-af48a03d6edd"] },
  },
  uploadTestResults: {
    body: {
      repo,
      head_sha: sha,
      tree_sha: "9bdcfa3a19c2a1b3b5f3a7a1c2b0c2f8a4f6d7e8",
      branch: "add-a-widget",
      kind: "pr",
      pr: { number: 12 },
      run_id: "17001234567",
      run_attempt: 1,
      job: "test",
      variant: "linux",
      step_failed: true,
      expected_reports: 1,
      reports: [{ path: "reports/junit.xml", content: report }],
    },
    answer: {
      upload_id: "4711",
      is_new: true,
      verdict: "failed",
      code: "FAILURES_COUNT",
      message: "",
      failed: [
        {
          id: "aad1f138-09ab-5ea9-9c21-af48a03d6edd",
          name: "turns",
          parent: "widget",
          file: null,
          classname: "widget",
          variant: "linux",
          summary: "expected %, got %",
        },
      ],
      quarantined: [],
      failed_count: 1,
      quarantined_count: 0,
      is_suspect: false,
      tests: { passed: 1, failed: 1, skipped: 0 },
      reports: [{ path: "reports/junit.xml", cases: 2, fault: null }],
    },
  },
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
        cost_last_7d: { held_up_minutes: 41.5, queue_ci_minutes: 24, outside_test_minutes: 3.2 },
        quarantined: true,
        file_path: testCase.file,
        parent: testCase.parent,
        classname: testCase.classname,
        ticket: { html_url: "https://github.com/acme/widgets/issues/7" },
      },
    },
  },
};
