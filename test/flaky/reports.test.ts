import { describe, expect, test } from "@jest/globals";
import { isFlip, outcomeOf } from "../../src/flaky/report/test-execution.ts";
import { fixture, readReport, runsOf } from "./read-fixture.ts";

const expected: Readonly<Record<string, readonly string[]>> = {
  "jest-junit": [
    "arithmetic / arithmetic adds & carries: passed",
    "arithmetic / arithmetic divides <unevenly>: failed",
    "arithmetic / arithmetic takes roots: skipped",
    "arithmetic / arithmetic takes logarithms: passed",
    "arithmetic / arithmetic settles at the second attempt: passed",
    "arithmetic / arithmetic of sets joins: passed",
  ],
  vitest: [
    "broken.test.ts / broken.test.ts: failed",
    "sample.test.ts / arithmetic > adds & carries: passed",
    "sample.test.ts / arithmetic > divides <unevenly>: failed, failed",
    "sample.test.ts / arithmetic > takes roots: skipped",
    "sample.test.ts / arithmetic > takes logarithms: skipped",
    "sample.test.ts / arithmetic > settles at the second attempt: passed",
    "sample.test.ts / arithmetic > of sets > joins: passed",
  ],
  playwright: [
    "sample.spec.ts / arithmetic › adds & carries (first): passed",
    "sample.spec.ts / arithmetic › divides <unevenly> (first): failed",
    "sample.spec.ts / arithmetic › takes roots (first): skipped",
    "sample.spec.ts / arithmetic › settles at the second attempt (first): passed",
    "sample.spec.ts / arithmetic › fails in one project (first): passed",
    "sample.spec.ts / arithmetic › adds & carries (second): passed",
    "sample.spec.ts / arithmetic › divides <unevenly> (second): failed",
    "sample.spec.ts / arithmetic › takes roots (second): skipped",
    "sample.spec.ts / arithmetic › settles at the second attempt (second): passed",
    "sample.spec.ts / arithmetic › fails in one project (second): failed",
  ],
  "playwright-retries": [
    "sample.spec.ts / arithmetic › adds & carries (first): passed",
    "sample.spec.ts / arithmetic › divides <unevenly> (first): failed, failed",
    "sample.spec.ts / arithmetic › takes roots (first): skipped",
    "sample.spec.ts / arithmetic › settles at the second attempt (first): failed, passed",
    "sample.spec.ts / arithmetic › fails in one project (first): passed",
    "sample.spec.ts / arithmetic › adds & carries (second): passed",
    "sample.spec.ts / arithmetic › divides <unevenly> (second): failed, failed",
    "sample.spec.ts / arithmetic › takes roots (second): skipped",
    "sample.spec.ts / arithmetic › settles at the second attempt (second): failed, passed",
    "sample.spec.ts / arithmetic › fails in one project (second): failed, failed",
  ],
  "node-test": [
    "- / broken.test.mjs: failed",
    "- / stands alone: passed",
    "arithmetic / adds & carries: passed",
    "arithmetic / divides <unevenly>: failed",
    "arithmetic / takes roots: skipped",
    "arithmetic / takes logarithms: skipped",
    "of sets / joins: passed",
  ],
  pytest: [
    "pytest / test_adds: passed",
    "pytest / test_divides: failed",
    "pytest / test_roots: skipped",
    "pytest / test_expected: skipped",
    "pytest / test_each[1]: passed",
    "pytest / test_each[2]: passed",
    "pytest / test_fails_and_is_torn: failed",
    "pytest / test_only_torn: failed",
  ],
  "surefire-reruns": [
    "org.acme.ArithmeticTest / adds: passed",
    "org.acme.ArithmeticTest / settles: failed, failed, passed",
    "org.acme.ArithmeticTest / divides: failed, failed",
    "org.acme.ArithmeticTest / takesRoots: skipped",
  ],
  "surefire-junit4": [
    "org.acme.ArithmeticTest / settlesLate: failed, failed, passed",
    "org.acme.ArithmeticTest / takesRoots: skipped",
    "org.acme.ArithmeticTest / adds: passed",
    "org.acme.ArithmeticTest / divides: failed, failed, failed",
    "org.acme.ArithmeticTest / settles: failed, passed",
  ],
  "surefire-nested": [
    "org.acme.ArithmeticTest$Division / adds: passed",
    "org.acme.ArithmeticTest$Division / subtracts: failed",
    "org.acme.ArithmeticTest$Division / multiplies(RepetitionInfo)[1]: passed",
    "org.acme.ArithmeticTest$Division / multiplies(RepetitionInfo)[2]: failed, failed, failed",
    "org.acme.ArithmeticTest$Division / multiplies(RepetitionInfo)[3]: passed",
    "org.acme.ArithmeticTest$Division / dividesEvenly: passed",
    "org.acme.ArithmeticTest$Division / divides: failed, failed, failed",
  ],
  "surefire-before-all": [
    "org.acme.UnreadyTest / : failed",
    "org.acme.UnreadyTest / writes: passed",
    "org.acme.UnreadyTest / reads: passed",
  ],
  "pytest-subtests": [
    "pytest / test_each: failed, failed",
    "pytest / test_all_fine: passed",
    "pytest / test_fails_itself: failed, failed",
    "pytest / test_takes_roots: skipped",
    "pytest / test_each: failed",
  ],
  "minitest-junit": [
    "minitest / test_takes_roots: skipped",
    "minitest / test_raises: failed",
    "minitest / test_adds: passed",
    "minitest / test_divides: failed",
  ],
  "gotestsum-test-main": [
    "example.com/arithmetic/open / TestMain: failed",
    "example.com/arithmetic/open / TestRoot: skipped",
    "example.com/arithmetic/open / TestAdd: passed",
    "example.com/arithmetic/plain / TestDivide: failed",
    "example.com/arithmetic/unready / TestMain: failed",
  ],
  "gradle-retries": [
    "org.acme.ArithmeticTest / adds(): passed",
    "org.acme.ArithmeticTest / settles(): failed, passed, in cases",
    "org.acme.ArithmeticTest / divides(): failed",
    "org.acme.ArithmeticTest / multiplies(): passed",
  ],
  gotestsum: [
    "example.com/arithmetic / TestDivide: failed",
    "example.com/arithmetic / TestDivide/unevenly: failed",
    "example.com/arithmetic / TestSettles: failed, passed, in cases",
    "example.com/arithmetic / TestRoot: skipped",
    "example.com/arithmetic / TestAdd: passed",
    "example.com/arithmetic / TestDivide/evenly: passed",
  ],
  nextest: [
    "arithmetic::main / adds: passed",
    "arithmetic::main / settles: failed, passed",
    "arithmetic::main / settles_too_late: failed, passed, failed",
    "arithmetic::main / divides: failed, failed",
  ],
  catch2: [
    "c / adds & carries: passed",
    "c / divides <unevenly>: failed, failed",
    "c / throws: failed",
    "c / of sets/joins: passed",
    "c / of sets/meets: failed",
    "c / has a known fault: skipped",
  ],
  googletest: [
    "Arithmetic / Adds: passed",
    "Arithmetic / Divides: failed, failed",
    "Arithmetic / TakesRoots: skipped",
    "Arithmetic / DISABLED_TakesLogarithms: skipped",
    "Numbers/Each / IsSmall/0: passed",
    "Numbers/Each / IsSmall/1: failed",
  ],
  phpunit: [
    "ArithmeticTest / testAdds: passed",
    "ArithmeticTest::testDivides / testDivides with data set #0: passed",
    "ArithmeticTest::testDivides / testDivides with data set #1: failed",
    "ArithmeticTest / testRoots: skipped",
    "ArithmeticTest / testLogarithms: skipped",
    "ArithmeticTest / testRisks: failed",
    "ArithmeticTest / testWarns: failed",
    "ArithmeticTest / testThrows: failed",
  ],
  xunit: [
    "Acme.Tests.dll / Adds: passed",
    "Acme.Tests.dll / Divides(numerator: 7, denominator: 2): failed",
    "Acme.Tests.dll / Roots: skipped",
  ],
  bazel: ["arithmetic/divide_test / arithmetic/divide_test: failed"],
  nested: ["outer / is outer: passed", "inner / is inner: passed", "inner / fails: failed"],
};

describe("the report of", () => {
  test.each(Object.entries(expected))("%s is parsed into its runs and attempts", (name, runs) => {
    const report = readReport(fixture(name));
    expect(report.fault).toBeNull();
    expect(runsOf(report)).toEqual(runs);
  });

  test.each(Object.keys(expected))("%s is parsed the same in pieces of any size", (name) => {
    const whole = readReport(fixture(name), { piece: 1_000_000 });
    for (const piece of [1, 2, 3, 7, 64, 511]) {
      const { runs, ...rest } = readReport(fixture(name), { piece });
      expect({ ...rest, runs: [...runs] }).toEqual({ ...whole, runs: [...whole.runs] });
    }
  });

  test("jest-junit shows a suite that cannot run only with reportTestSuiteErrors", () => {
    const { runs, fault } = readReport(fixture("jest-junit-suite-errors"));
    expect(fault).toBeNull();
    expect([...runs].at(-1)).toMatchObject({ name: "broken.test.js", classname: "Test suite failed to run" });
    expect([...runs].filter(isFlip)).toEqual([]);
  });
});

describe("a run", () => {
  test.each([
    ["surefire-reruns", ["settles"]],
    ["surefire-junit4", ["settlesLate", "settles"]],
    ["pytest-subtests", []],
    ["gradle-retries", ["settles()"]],
    ["gotestsum", ["TestSettles"]],
    ["nextest", ["settles", "settles_too_late"]],
    ["pytest", []],
    ["vitest", []],
  ])("of %s shows these flips by itself: %j", (name, flips) => {
    expect([...readReport(fixture(name)).runs].filter(isFlip).map((run) => run.name)).toEqual(flips);
  });

  test("whose last attempt failed has failed, although an earlier one passed", () => {
    const run = [...readReport(fixture("nextest")).runs].find(({ name }) => name === "settles_too_late");
    expect(run && outcomeOf(run)).toBe("failed");
  });

  test("keeps the message and the stack of a failure, but not the output of the test", () => {
    const [, settles] = readReport(fixture("surefire-reruns")).runs;
    expect(settles?.attempts[0]).toEqual({
      outcome: "failed",
      durationMs: null,
      startedAt: null,
      failure: {
        kind: "failure",
        type: "java.lang.AssertionError",
        message: "expected:<2> but was:<1>",
        text: "java.lang.AssertionError: expected:<2> but was:<1>\n\tat org.acme.ArithmeticTest.settles(ArithmeticTest.java:21)",
      },
    });
  });

  test("does not pass or flip by a skipped attempt", () => {
    const suite = `<testsuite><testcase name="a"><failure/></testcase><testcase name="a"><skipped/></testcase></testsuite>`;
    const [run] = readReport(suite).runs;
    expect(run && [outcomeOf(run), isFlip(run)]).toEqual(["failed", false]);
  });

  test("has its attempts in the order of time when all have a timestamp", () => {
    const at = (second: number, inner: string) =>
      `<testcase name="a" timestamp="2026-03-02T10:15:0${second}Z">${inner}</testcase>`;
    const [run] = readReport(`<testsuite>${at(2, "")}${at(1, "<failure/>")}</testsuite>`).runs;
    expect(run?.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "passed"]);
  });

  test("has the id and the file that its report states", () => {
    const id = "a6e84936-3ee9-57d5-b041-ae124896f654";
    const [run] = readReport(`<testsuite filepath="a.rb"><testcase name="a" id="${id}"/></testsuite>`).runs;
    expect(run).toMatchObject({ givenId: id, file: "a.rb", classname: null, parent: null });
  });
});
