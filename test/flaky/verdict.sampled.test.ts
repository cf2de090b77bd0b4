import { describe, expect, test } from "@jest/globals";
import { judgeUpload, type Upload, type UploadVerdict } from "../../src/flaky/quarantine/judge-upload.ts";
import { createRandomSource } from "../../src/replay/workload/random-source.ts";
import { draws } from "../sampled.ts";
import { damaged } from "./damaged.ts";
import { fixture, readReport } from "./read-fixture.ts";

const passing = `<testsuite tests="1" failures="0"><testcase name="passes"/></testsuite>`;
const flaky = `<testsuite tests="2" failures="1"><testcase name="passes"/><testcase name="flaky"><failure/></testcase></testsuite>`;
const failing = `<testsuite tests="1" failures="1"><testcase name="breaks"><failure/></testcase></testsuite>`;
const retried = `<testsuite><testcase name="NAME"><failure/></testcase><testcase name="NAME"/></testsuite>`;

describe("the verdict on an upload", () => {
  test.each<[string, Partial<Upload>, readonly string[], UploadVerdict["verdict"], string]>([
    ["passes", { stepFailed: false }, [passing], "passed", "NOTHING_FAILED"],
    ["failed in quarantined tests alone", {}, [passing, flaky], "quarantined", "ALL_QUARANTINED"],
    ["failed elsewhere as well", {}, [flaky, failing], "failed", "FAILURES_COUNT"],
    ["failed in no test", {}, [passing], "unknown", "FAILED_OUTSIDE_OF_TESTS"],
    ["has no report", {}, [], "unknown", "NO_REPORT"],
    ["has no report, and a step that passed", { stepFailed: false }, [], "unknown", "NO_REPORT"],
    ["lacks a report", { expectedReports: 2 }, [flaky], "unknown", "REPORTS_MISSING"],
    [
      "lacks a test that it should have",
      { missingTests: { count: 1, names: ["turns"], awaitedShards: 0 } },
      [flaky],
      "unknown",
      "TESTS_MISSING",
    ],
    [
      "has all tests and reports that are expected",
      { missingTests: null, expectedReports: 1 },
      [flaky],
      "quarantined",
      "ALL_QUARANTINED",
    ],
    ["has a report that is cut off", {}, [flaky, passing.slice(0, -4)], "unknown", "REPORT_FAULTY"],
    [
      "has a report that is cut off, and a failure that counts",
      {},
      [failing, flaky.slice(0, -4)],
      "failed",
      "FAILURES_COUNT",
    ],
    ["has an empty report", {}, [flaky, ""], "unknown", "REPORT_FAULTY"],
    [
      "has a miscounted report",
      {},
      [flaky.replace(`failures="1"`, `failures="2"`)],
      "unknown",
      "REPORT_FAULTY",
    ],
    ["may hold two tests of one name", {}, [flaky, retried], "unknown", "RETRY_UNCERTAIN"],
    [
      "may hold two quarantined tests of one name",
      {},
      [flaky, retried.replaceAll("NAME", "flaky")],
      "unknown",
      "RETRY_UNCERTAIN",
    ],
    ["passed at a retry", { stepFailed: false }, [retried], "passed", "NOTHING_FAILED"],
  ])("that %s", (_what, upload, reports, verdict, code) => {
    expect(judge(reports, upload)).toMatchObject({ verdict, code });
  });

  test("names the failures that count and those that are forgiven", () => {
    const { failed, quarantined } = judge([flaky, failing], {});
    expect([failed, quarantined].map((tests) => tests.map(({ id }) => id))).toEqual([["breaks"], ["flaky"]]);
  });

  test("explains what is wrong with a report", () => {
    expect(judge([""], {}).message).toMatch(/^EMPTY: the report is empty/);
  });
});

describe("a failure that counts", () => {
  /** For each report, the only test whose failure is not forgiven. */
  const counted: Readonly<Record<string, string>> = {
    vitest: "broken.test.ts",
    "node-test": "broken.test.mjs",
    pytest: "test_only_torn",
    "pytest-subtests": "test_fails_itself",
    "minitest-junit": "test_raises",
    "surefire-reruns": "divides",
    "surefire-junit4": "divides",
    "surefire-nested": "divides",
    "gotestsum-test-main": "TestMain",
    "gradle-retries": "divides()",
    nextest: "divides",
    phpunit: "testThrows",
    "mocha-junit-reporter": "arithmetic divides <unevenly>",
    "tap-formatter-junit": "2 - divides <unevenly>",
  };
  const reports = Object.keys(counted);
  // A damaged name is the name of another test, which is not quarantined.
  const known = new Set(
    reports.flatMap((name) => [...readReport(fixture(name)).runs].map((run) => run.name)),
  );

  test.each(reports)("is not forgiven by any incomplete part of %s", (name) => {
    const bytes = fixture(name);
    const step = Math.ceil(bytes.length / draws(1_500));
    for (let length = 0; length <= bytes.length; length += step)
      expect([length, forgives(bytes.subarray(0, length), counted[name])]).toEqual([length, false]);
  });

  test("is not forgiven by any of many damaged reports", () => {
    const random = createRandomSource(20261121);
    const forgiven: string[] = [];
    for (let at = 0; at < draws(10_000); at += 1) {
      const name = reports[at % reports.length] ?? "";
      const report = damaged(fixture(name), random);
      if (forgives(report, counted[name])) forgiven.push(`${name}\n${new TextDecoder().decode(report)}`);
    }
    expect(forgiven).toEqual([]);
  });

  function forgives(report: Uint8Array, name: string | undefined): boolean {
    const { verdict } = judgeUpload(
      {
        stepFailed: true,
        reports: [readReport(report, { piece: 100_000 })],
        expectedReports: 1,
        missingTests: null,
      },
      {
        idOf: (run) => run.name,
        isQuarantined: (id) => id !== name && known.has(id),
        hasNamesake: () => false,
      },
    );
    return verdict === "passed" || verdict === "quarantined";
  }
});

function judge(reports: readonly string[], upload: Partial<Upload>): UploadVerdict {
  return judgeUpload(
    {
      stepFailed: true,
      expectedReports: null,
      missingTests: null,
      ...upload,
      reports: reports.map((report) => readReport(report)),
    },
    { idOf: (run) => run.name, isQuarantined: (id) => id === "flaky", hasNamesake: () => false },
  );
}
