import { describe, expect, test } from "@jest/globals";
import { explainChecks } from "../../../src/flaky/service/explain-checks.ts";
import type { CommitReport } from "../../../src/flaky/store/reads/test-records.ts";
import { check } from "../../engine/queue-harness.ts";

const flake = { name: "pays by card", isKnownFlaky: true, isNew: false };
const culprit = { name: "adds up", isKnownFlaky: false, isNew: false };
const added = { name: "pays by invoice", isKnownFlaky: false, isNew: true };

function report(more: Partial<CommitReport> = {}): CommitReport {
  return {
    ...{ runId: "1", runAttempt: 1, job: "test", variant: "", verdict: "failed", isSuspect: false },
    failed: [flake],
    failedCount: more.failed?.length ?? 1,
    ...more,
  };
}

const failing = [check("build", "success"), check("test", "failure")];
const required = ["build", "test"].map((name) => ({ name, appId: null }));
const explained = (reports: CommitReport[], retries = 0, checks = failing) =>
  explainChecks(required, checks, reports, retries);

describe("a failed check", () => {
  test("is flaky when its job reports only known flakes", () => {
    expect(explained([report()])).toEqual({
      forgiven: [],
      flaky: [{ name: "test", tests: ["pays by card"] }],
      withNewTests: [],
    });
  });

  test("failed in new tests when its job reports only new tests, or new tests and known flakes", () => {
    for (const failed of [[added], [added, flake]])
      expect(explained([report({ failed })])).toEqual({
        forgiven: [],
        flaky: [],
        withNewTests: [{ name: "test", tests: ["pays by invoice"] }],
      });
    expect(explained([report({ failed: [added, culprit] })]).withNewTests).toEqual([]);
  });

  test.each<[what: string, reports: CommitReport[]]>([
    ["nothing was reported", []],
    ["another job reported", [report({ job: "lint" })]],
    ["the job reports that all passed", [report({ verdict: "passed", failed: [] })]],
    ["a test that is not flaky failed, too", [report({ failed: [flake, culprit] })]],
    ["the verdict of its report is unknown", [report({ verdict: "unknown" })]],
    ["its upload is suspect", [report({ isSuspect: true })]],
    ["more tests failed than its report lists", [report({ failedCount: 2 })]],
    ["no test failed", [report({ failed: [] })]],
    [
      "one of its variants failed in a test that is not flaky",
      [report(), report({ variant: "arm", failed: [culprit] })],
    ],
  ])("counts when %s", (_what, reports) => {
    expect(explained(reports)).toEqual({ forgiven: [], flaky: [], withNewTests: [] });
  });

  test("counts when its report is older than the last retry, and is judged by the newest report of its job", () => {
    expect(explained([report()], 1).flaky).toEqual([]);
    expect(explained([report(), report({ runAttempt: 2 })], 1).flaky).toHaveLength(1);
    expect(explained([report(), report({ runAttempt: 2, failed: [culprit] })], 1).flaky).toEqual([]);
  });

  test("of a matrix is matched by the job's name, and every failed leg has to be explained", () => {
    const matrix = ["test (linux)", "test (windows)"].map((name) => ({ name, appId: null }));
    const facts = matrix.map(({ name }) => check(name, "failure"));
    const linux = report({ variant: "linux" });
    expect(explainChecks(matrix, facts, [linux], 0).flaky).toEqual([]);
    expect(explainChecks(matrix, facts, [linux, report({ variant: "windows" })], 0).flaky).toHaveLength(2);
    const other = explainChecks([{ name: "tests", appId: null }], [check("tests", "failure")], [linux], 0);
    expect(other.flaky).toEqual([]);
  });

  test("of a job whose name contains a date is matched although the report has a mask in its place", () => {
    const name = "test (nightly-2026-11-29)";
    const { flaky } = explainChecks(
      [{ name, appId: null }],
      [check(name, "failure")],
      [report({ job: "test (nightly-…)" })],
      0,
    );
    expect(flaky).toEqual([{ name, tests: ["pays by card"] }]);
  });
});

test("a passed check names its failed quarantined tests", () => {
  const passing = required.map(({ name }) => check(name, "success"));
  expect(explained([report({ verdict: "quarantined" })], 0, passing)).toEqual({
    forgiven: [{ name: "test", tests: ["pays by card"] }],
    flaky: [],
    withNewTests: [],
  });
  expect(explained([report()], 0, passing)).toEqual({ forgiven: [], flaky: [], withNewTests: [] });
});
