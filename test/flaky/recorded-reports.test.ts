import { describe, expect, test } from "@jest/globals";
import { judgeUpload } from "../../src/flaky/quarantine/judge-upload.ts";
import { isFlip, outcomeOf } from "../../src/flaky/report/test-execution.ts";
import { fixture, readReport, runsOf } from "./read-fixture.ts";

/** Outcomes as the tests in `scripts/*-report-samples.ts` determine them. Names as the writers compose them. */
const expected: Readonly<Record<string, readonly string[]>> = {
  "gotestsum-reruns": [
    "example.com/arithmetic / TestSettles: failed, passed, in cases",
    "example.com/arithmetic / TestSettlesToo: failed, passed, in cases",
    "example.com/arithmetic / TestRoot: skipped",
    "example.com/arithmetic / TestAdd: passed",
    // It runs again for each of its failed subtests.
    "example.com/arithmetic / TestEach: failed, passed, passed, in cases",
    "example.com/arithmetic / TestEach/one: failed, passed, in cases",
    "example.com/arithmetic / TestEach/two: failed, passed, in cases",
    "example.com/arithmetic / TestEach/three: passed",
  ],
  "mocha-junit-reporter": [
    "arithmetic / arithmetic adds & carries: passed",
    "arithmetic / arithmetic divides <unevenly>: failed",
    "arithmetic / arithmetic settles at the second attempt: passed",
    'of sets / arithmetic of sets "before all" hook for "joins": failed',
  ],
  "mocha-xunit": [
    "Mocha Tests / adds & carries: passed",
    "Mocha Tests / divides <unevenly>: failed",
    "Mocha Tests / takes roots: skipped",
    "Mocha Tests / settles at the second attempt: passed",
    'Mocha Tests / "before all" hook for "joins": failed',
  ],
  cucumber: [
    "Cucumber / adds & carries: passed",
    "Cucumber / adds <wrongly>: failed",
    "Cucumber / takes roots: skipped",
    "Cucumber / takes logarithms: failed",
    "Cucumber / settles at the second attempt: passed",
    "Cucumber / adds <a> - #1.1: adds 2: passed",
    "Cucumber / adds <a> - #1.2: adds 4: failed",
  ],
  bun: [
    "arithmetic / adds & carries: passed",
    "arithmetic / divides <unevenly>: failed",
    "arithmetic / takes roots: skipped",
    "arithmetic / takes logarithms: skipped",
    "arithmetic / settles at the second attempt: passed",
    "of sets / joins: passed",
  ],
  deno: [
    "./sample.test.ts / adds & carries: passed",
    "./sample.test.ts / divides <unevenly>: failed",
    "./sample.test.ts / takes roots: skipped",
    "./sample.test.ts / of sets: failed",
    "./sample.test.ts / of sets > joins: passed",
    "./sample.test.ts / of sets > meets: failed",
    "./sample.test.ts / of sets > differs: skipped",
  ],
  "tap-xunit": [
    "adds & carries / #1 the sum: passed",
    "divides <unevenly> / #2 the quotient: failed",
    "takes roots / #3 the root: skipped",
  ],
  "eslint-formatter-junit": [
    "/home/runner/work/eslint-formatter-junit/clean.js / /home/runner/work/eslint-formatter-junit/clean.js: passed",
    "/home/runner/work/eslint-formatter-junit/wrong.js / org.eslint.no-var: failed",
    "/home/runner/work/eslint-formatter-junit/wrong.js / org.eslint.no-undef: failed",
  ],
  jasmine: [
    // Two expectations of this test fail.
    "arithmetic / divides <unevenly>: failed, failed",
    "arithmetic / adds & carries: passed",
    "arithmetic / takes roots: skipped",
    "arithmetic / takes logarithms: skipped",
    "arithmetic.of sets / joins: passed",
  ],
  // It writes a skipped test like one that passes.
  newman: [
    "sums / adds & carries: passed",
    "sums / divides <unevenly>: failed",
    "sums / takes roots: passed",
  ],
  rspec: [
    "rspec / arithmetic adds & carries: passed",
    "rspec / arithmetic divides <unevenly>: failed",
    "rspec / arithmetic takes roots: skipped",
    "rspec / arithmetic is known to fail: skipped",
    "rspec / arithmetic is known to fail, and does not: failed",
    "rspec / arithmetic is expected to be > 2: passed",
  ],
  bats: [
    "sample.bats / adds & carries: passed",
    "sample.bats / divides <unevenly>: failed",
    "sample.bats / takes roots: skipped",
  ],
  nose2: [
    "nose2-junit / test_adds: passed",
    "nose2-junit / test_divides: failed",
    "nose2-junit / test_each (n=1): failed",
    "nose2-junit / test_known: skipped",
    "nose2-junit / test_known_and_passes: skipped",
    "nose2-junit / test_raises: failed",
    "nose2-junit / test_roots: skipped",
  ],
  "boost-test": [
    "arithmetic / adds: passed",
    "arithmetic / divides: failed, failed",
    "arithmetic / throws: failed",
    "arithmetic / takes_roots: skipped",
    "arithmetic / joins: passed",
  ],
  ctest: [
    "(empty) / adds: passed",
    "(empty) / divides: failed",
    "(empty) / takes_roots: skipped",
    "(empty) / takes_logarithms: skipped",
    "(empty) / settles: passed",
    "(empty) / is_known: passed",
  ],
  meson: [
    "arithmetic / adds: passed",
    "arithmetic / divides: failed",
    "arithmetic / takes roots: skipped",
    "arithmetic / is known: passed",
    "arithmetic / crashes: failed",
    "arithmetic.speaks tap / 1 one: passed",
    "arithmetic.speaks tap / 2 two: failed",
    "arithmetic.speaks tap / 3 three: skipped",
  ],
  // It writes a skipped test, and a test that is known to fail, like those that pass.
  "tap-formatter-junit": [
    "sample_t / 1 - adds & carries: passed",
    "sample_t / 2 - divides <unevenly>: failed",
    "sample_t / 3: passed",
    "sample_t / 4 - is known to fail: passed",
    "sample_t / 5 - is known to fail, and does not: failed",
  ],
  "tap-harness-junit": [
    "t_sample_t / adds & carries: passed",
    "t_sample_t / divides <unevenly>: failed",
    "t_sample_t / Unnamed test case 1: skipped",
  ],
  behave: [
    "arithmetic.arithmetic / adds & carries: passed",
    "arithmetic.arithmetic / adds <wrongly>: failed",
    "arithmetic.arithmetic / takes roots: skipped",
    "arithmetic.arithmetic / takes logarithms: failed",
    "arithmetic.arithmetic / breaks: failed",
  ],
  "unittest-xml-reporting": [
    "test_sample.Arithmetic / test_adds: passed",
    "test_sample.Arithmetic / test_divides: failed",
    "test_sample.Arithmetic / test_each (n=1): failed",
    "test_sample.Arithmetic / test_raises: failed",
    "test_sample.Arithmetic / test_roots: skipped",
    "test_sample.Arithmetic / test_known: skipped",
    "test_sample.Arithmetic / test_known_and_passes: failed",
  ],
  "pytest-rerunfailures": [
    "pytest / test_adds: passed",
    "pytest / test_divides: failed",
    "pytest / test_roots: skipped",
    "pytest / test_settles: passed",
  ],
  busted: [
    "Run 1 of 1 / arithmetic adds & carries: passed",
    "Run 1 of 1 / arithmetic divides <unevenly>: failed",
    "Run 1 of 1 / arithmetic breaks: failed",
    "Run 1 of 1 / arithmetic takes roots: skipped",
    "Run 1 of 1 / arithmetic of sets joins: passed",
  ],
  // It does not write a skipped test.
  doctest: [
    "./sample / adds & carries: passed",
    "./sample / divides <unevenly>: failed, failed",
    "./sample / throws: failed",
    "./sample / of sets/joins: passed",
    "./sample / of sets/meets: failed",
  ],
  ant: [
    "org.acme.ArithmeticTest / raises: failed",
    "org.acme.ArithmeticTest / takesRoots: skipped",
    "org.acme.ArithmeticTest / adds: passed",
    "org.acme.ArithmeticTest / divides: failed",
  ],
};

describe("the recorded report of", () => {
  test.each(Object.entries(expected))("%s is parsed into its runs and attempts", (name, runs) => {
    const report = readReport(fixture(name));
    expect(report.fault).toBeNull();
    expect(runsOf(report).sort()).toEqual([...runs].sort());
  });

  test.each(Object.keys(expected))("%s is parsed the same in small pieces", (name) => {
    const whole = runsOf(readReport(fixture(name), { piece: 1_000_000 }));
    for (const piece of [1, 7, 511]) expect(runsOf(readReport(fixture(name), { piece }))).toEqual(whole);
  });

  test("gotestsum shows tests that passed when they were rerun", () => {
    const report = readReport(fixture("gotestsum-reruns"));
    const rerun = ["TestSettles", "TestSettlesToo", "TestEach/one", "TestEach/two", "TestEach"];
    expect([...report.runs].filter(isFlip).map(({ name }) => name)).toEqual(rerun);
    expect([...report.runs].map(outcomeOf).sort()).toEqual([...Array(7).fill("passed"), "skipped"]);
    const verdict = judgeUpload(
      { reports: [report], stepFailed: false, expectedReports: 1, missingTests: null },
      { idOf: ({ name }) => name, isQuarantined: () => false, hasNamesake: () => false },
    );
    expect(verdict).toMatchObject({ verdict: "passed", code: "NOTHING_FAILED", failed: [] });
  });
});
