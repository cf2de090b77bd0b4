import { describe, expect, test } from "@jest/globals";
import { defaultReportLimits } from "../../src/flaky/report/fault.ts";
import { createReportReader } from "../../src/flaky/report/read-report.ts";
import { fixture, readReport, runsOf } from "./read-fixture.ts";

const suite = (inner: string, attributes = "") => `<testsuite name="s" ${attributes}>${inner}</testsuite>`;
const passing = `<testcase name="a"/>`;
const failing = `<testcase name="b"><failure message="no"/></testcase>`;

describe("an unusable report", () => {
  test.each<[string, string, string | Uint8Array]>([
    ["EMPTY", "nothing", ""],
    ["EMPTY", "space", " \n\t"],
    ["TRUNCATED", "a declaration alone", `<?xml version="1.0"?>`],
    ["TRUNCATED", "an open suite", `<testsuite>${passing}`],
    [
      "TRUNCATED",
      "half a character",
      new Uint8Array([...new TextEncoder().encode(suite(passing)), 0xe2, 0x80]),
    ],
    ["MALFORMED", "no XML", "Tests: 3 passed, 3 total"],
    ["MALFORMED", "a bare ampersand", suite(`<testcase name="a & b; c"/>`)],
    ["MALFORMED", "one that seems to hide the end", suite(`<testcase name="a & b"/>`)],
    ["MALFORMED", "an unknown entity", suite(`<testcase name="&nbsp;"/>`)],
    ["MALFORMED", "tags across one another", `<testsuites><testsuite></testsuites></testsuite>`],
    ["MALFORMED", "an attribute twice", suite(`<testcase name="a" name="b"/>`)],
    ["MALFORMED", "two roots", suite(passing) + suite(failing)],
    ["MALFORMED", "text behind the root", `${suite(passing)}done`],
    [
      "CONTRADICTORY",
      "a test that CTest could not run",
      suite(
        `${passing}<testcase name="b" classname="b" status="notrun"><skipped message="Unable to find executable"/></testcase>`,
      ),
    ],
    ["DOCTYPE_REFUSED", "a document type", `<!DOCTYPE testsuite>${suite(passing)}`],
    ["DOCTYPE_REFUSED", "an unfinished document type", `<!DOCTYPE testsuite [<!ENTITY a "a">`],
    ["NUL_CHARACTER", "a NUL", suite(`<testcase name="a\0"/>`)],
    ["NUL_CHARACTER", "UTF-16 without a mark", Buffer.from(suite(passing), "utf16le")],
    ["ENCODING_NOT_SUPPORTED", "UTF-16", Buffer.from(`\uFEFF${suite(passing)}`, "utf16le")],
    [
      "ENCODING_NOT_SUPPORTED",
      "another code page",
      `<?xml version="1.0" encoding="Shift_JIS"?>${suite(passing)}`,
    ],
    [
      "ENCODING_NOT_SUPPORTED",
      "Latin 1 that claims to be UTF-8",
      Buffer.from(suite(`<testcase name="é"/>`), "latin1"),
    ],
    ["NOT_JUNIT", "a web page", "<html><body/></html>"],
    ["TRUNCATED", "Failsafe's summary of a run that timed out", `<failsafe-summary timeout="true"/>`],
    [
      "TRUNCATED",
      "Failsafe's summary of a run whose JVM crashed",
      "<failsafe-summary><failureMessage>The forked VM terminated</failureMessage></failsafe-summary>",
    ],
    ["NOT_JUNIT", "xUnit's own format", `<assemblies><assembly/></assemblies>`],
    ["NAME_MISSING", "a case without a name", suite(`<testcase classname="c"/>`)],
    ["NO_TESTS", "no case", "<testsuites/>"],
    ["MISCOUNTED", "fewer tests than counted", suite(passing, `tests="2"`)],
    ["MISCOUNTED", "a failure that is not there", suite(passing, `tests="1" failures="1"`)],
    ["MISCOUNTED", "an error that is not there", suite(passing + failing, `failures="1" errors="1"`)],
    ["MISCOUNTED", "a failure that is not counted", suite(passing + failing, `failures="0" errors="0"`)],
    ["MISCOUNTED", "no number", suite(passing, `tests="one"`)],
    ["MISCOUNTED", "a suite lost by the root", `<testsuites tests="3">${suite(passing)}</testsuites>`],
    ["CONTRADICTORY", "a failure named and not held", suite(`<testcase name="a" failure="no"/>`)],
    ["CONTRADICTORY", "a status named and not held", suite(`<testcase name="a" status="failed"/>`)],
    [
      "UNKNOWN_ELEMENT",
      "an element that may be a failure",
      suite(`<testcase name="a"><failurf/></testcase>`),
    ],
    ["UNKNOWN_ELEMENT", "an element that may be a case", suite(`${passing}<testcasf name="b"/>`)],
  ])("is refused with %s: %s", (code, _what, report) => {
    expect(readReport(report, { piece: 5 }).fault).toEqual({
      code,
      message: expect.stringMatching(/\w+ \w+/),
    });
  });

  test.each([
    ["NESTED_TOO_DEEPLY", `${"<testsuite>".repeat(64)}${passing}${"</testsuite>".repeat(64)}`],
    ["TAG_TOO_LARGE", suite(`<testcase name="${"a".repeat(3_000)}"/>`)],
    ["TOKEN_TOO_LARGE", suite(`${passing}<!--${"a".repeat(9_000)}-->`)],
    ["TOO_MANY_CASES", suite(passing.repeat(11))],
    ["TOO_MANY_FAILURES", suite(failing.repeat(6))],
    ["TOO_MANY_FAILURES", suite(`<testcase name="a">${`<rerunFailure message="no"/>`.repeat(6)}</testcase>`)],
    ["REPORT_TOO_LARGE", suite(`${passing}${" <x/>".repeat(4_000)}`)],
  ])("is refused beyond the limits with %s", (code, report) => {
    const limits = {
      ...defaultReportLimits,
      tag: 1_000,
      token: 8_000,
      cases: 10,
      failures: 5,
      bytes: 10_000,
    };
    expect(readReport(report, { limits, piece: 500 }).fault?.code).toBe(code);
  });

  test("is refused before an attribute of 50 MB is read completely", () => {
    const reader = createReportReader();
    const piece = new TextEncoder().encode("a".repeat(1024 * 1024));
    reader.write(new TextEncoder().encode(`<testsuite><testcase name="`));
    let pieces = 0;
    while (pieces < 50 && reader.write(piece)) pieces += 1;
    expect(pieces).toBeLessThan(2);
    expect(reader.end().fault?.code).toBe("TAG_TOO_LARGE");
  });

  test("is refused once it has too many cases, even when all are of one test", () => {
    const reader = createReportReader();
    reader.write(Buffer.from("<testsuite name='s'>"));
    const piece = Buffer.from("<testcase name='a'/>".repeat(10_000));
    let pieces = 0;
    while (pieces < 100 && reader.write(piece)) pieces += 1;
    expect(pieces).toBe(20);
    expect(reader.end().fault?.code).toBe("TOO_MANY_CASES");
  });

  test("is refused before its entities are expanded", () => {
    const bomb = `<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">`;
    const report = `<?xml version="1.0"?><!DOCTYPE r [${bomb}]><testsuite><testcase name="&b;"/></testsuite>`;
    expect(readReport(report).fault?.code).toBe("DOCTYPE_REFUSED");
  });

  test.each(["vitest", "node-test", "pytest"])("is any part of %s that lacks its end", (name) => {
    const bytes = fixture(name);
    const whole = bytes.toString().trimEnd();
    const unnoticed: number[] = [];
    for (let length = 0; length < Buffer.byteLength(whole); length += 1)
      if (readReport(bytes.subarray(0, length)).fault === null) unnoticed.push(length);
    expect(unnoticed).toEqual([]);
  });
});

describe("the report of a writer with its own way of counting", () => {
  test.each([
    ["surefire-junit4", "a failure lost", /<failure[\s\S]*?<\/failure>/, ""],
    ["surefire-junit4", "a rerun lost", /<rerunFailure[\s\S]*?<\/rerunFailure>/, ""],
    ["surefire-junit4", "a test lost", /<testcase name="adds".*>/, ""],
    ["surefire-junit4", "a failure more", 'failures="4"', 'failures="5"'],
    ["surefire-nested", "as many tests as it holds", /tests="\d"/, 'tests="7"'],
    ["surefire-nested", "flakes counted, as by later versions", 'tests="', 'flakes="0" tests="'],
    ["surefire-before-all", "another schema", "surefire-test-report", "report"],
    ["pytest-subtests", "a failure lost", /<failure[\s\S]*?<\/failure>/, ""],
    ["pytest-subtests", "another writer", /name="pytest( tests)?"/g, 'name="other"'],
    ["minitest-junit", "an error lost", /<error[\s\S]*?<\/error>/, ""],
    ["minitest-junit", "a skipped test lost", /<skipped[\s\S]*?<\/skipped>/, ""],
    [
      "minitest-junit",
      "a failure that is a skipped test",
      'skipped="1" failures="2"',
      'skipped="0" failures="3"',
    ],
    ["minitest-junit", "an error of a skipped test", 'failures="2" errors="1"', 'failures="1" errors="2"'],
    ["minitest-junit", "another writer", 'name="minitest"', 'name="other"'],
    ["mocha-junit-reporter", "a test lost", /<testcase name="arithmetic adds[\s\S]*?<\/testcase>/, ""],
    ["mocha-junit-reporter", "a failure lost", /<failure[\s\S]*?<\/failure>/, ""],
    ["mocha-junit-reporter", "a test that the root calls skipped no more", ' skipped="1"', ""],
    ["mocha-junit-reporter", "another writer", 'name="Mocha Tests"', 'name="other"'],
    ["tap-formatter-junit", "a failure lost", /<failure[\s\S]*?<\/failure>/, ""],
    [
      "tap-formatter-junit",
      "tests that died",
      '<error message="Dubious, test returned 1 ',
      '<error message="Dubious, test returned 255 ',
    ],
    [
      "gotestsum-test-main",
      "a TestMain lost",
      /<testcase classname="" name="TestMain"[\s\S]*?<\/testcase>/,
      "",
    ],
    ["gotestsum-test-main", "a test of another name", 'name="TestMain"', 'name="TestOther"'],
    ["gotestsum-test-main", "a package that did not compile", 'errors="0"', 'errors="1"'],
  ])("is refused for %s after the change: %s", (name, _what, sought, instead) => {
    const report = fixture(name).toString();
    const changed = report.replace(sought, instead);
    expect(changed).not.toBe(report);
    expect(readReport(changed).fault?.code).toBe("MISCOUNTED");
  });
});

describe("a complete report", () => {
  test("may contain raw control characters that a test printed", () => {
    const report = readReport(
      suite(`<testcase name="a"><system-out>\u001b[31m<![CDATA[\u0007]]></system-out></testcase>`),
    );
    expect([report.fault, runsOf(report)]).toEqual([null, ["s / a: passed"]]);
  });

  test("may be in Latin 1 if it declares that", () => {
    const report = `<?xml version="1.0" encoding="ISO-8859-1"?>${suite(`<testcase name="é"/>`)}`;
    expect(runsOf(readReport(Buffer.from(report, "latin1")))).toEqual(["s / é: passed"]);
  });

  test("may mention a document type in the output of a test", () => {
    const report = suite(
      `<testcase name="a"><system-out><![CDATA[<!DOCTYPE html>]]></system-out></testcase>`,
    );
    expect(readReport(report).fault).toBeNull();
  });

  test("may be the summary that Maven Failsafe writes beside its reports", () => {
    const summary = `<failsafe-summary result="255" timeout="false"><completed>3</completed><failures>1</failures><failureMessage xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/></failsafe-summary>`;
    expect(readReport(summary)).toMatchObject({ fault: null, cases: 0 });
  });

  test("may contain unknown elements if it counts its failures", () => {
    const report = suite(`<testcase name="a"><description/></testcase>`, `tests="1" failures="0"`);
    expect(readReport(report).fault).toBeNull();
  });

  test("keeps 16,000 characters of a failure", () => {
    const [run] = readReport(
      suite(`<testcase name="a"><failure>${"x".repeat(50_000)}</failure></testcase>`),
    ).runs;
    expect(run?.attempts[0]?.failure?.text).toHaveLength(16_000);
  });

  test("keeps 1,000 characters of each failure after many long ones, in one case or in several", () => {
    const long = `<rerunFailure message="no">${"x".repeat(9_000)}</rerunFailure>`;
    const report = suite(
      `<testcase name="a">${long.repeat(3)}</testcase><testcase name="b">${long}</testcase>`,
    );
    const limits = { ...defaultReportLimits, failureTexts: 18_000 };
    const kept = [...readReport(report, { limits }).runs].flatMap(({ attempts }) =>
      attempts.flatMap(({ failure }) => failure?.text.length ?? []),
    );
    expect(kept).toEqual([9_000, 9_000, 1_000, 1_000]);
  });
});
