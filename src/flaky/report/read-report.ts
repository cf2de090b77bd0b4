import { createRunCollector, type KnownTests } from "./collect-runs.ts";
import {
  defaultReportLimits,
  FailureRoom,
  type ReportFault,
  type ReportLimits,
  ReportRefused,
} from "./fault.ts";
import { type CaseReader, createCaseReader, emptyTally, isInert, ownAttempt } from "./read-case.ts";
import {
  checkCount,
  countCase,
  countSuite,
  type DeclaredCount,
  type FoundCount,
  isExitOfFailures,
  isTestMain,
  nothingFound,
  readDeclaredCount,
  type Writer,
  writerOf,
} from "./suite-count.ts";
import type { TestExecution } from "./test-execution.ts";
import { createXmlReader } from "./xml-reader.ts";

/** The content of a report. If it has a fault, it contains the runs before the fault, which are no evidence. */
export interface TestReport {
  /** Excludes runs in which a known test simply passed. */
  readonly runs: Iterable<TestExecution>;
  /** The runs with a failed attempt. */
  readonly failing: Iterable<TestExecution>;
  readonly cases: number;
  readonly fault: ReportFault | null;
}

/** Reads one report as it arrives; never throws. */
export interface ReportReader {
  /** Returns false when the report has been refused, so that the rest is not needed. */
  readonly write: (bytes: Uint8Array) => boolean;
  readonly end: () => TestReport;
}

type Attributes = Readonly<Record<string, string>>;

interface Suite {
  readonly name: string | null;
  /** The name of the nearest suite that has one, including this one. */
  readonly nearestName: string | null;
  readonly file: string | null;
  readonly hostname: string | null;
  /** Whether Playwright wrote the report. Only the root shows it. */
  readonly isPlaywright: boolean;
  readonly writer: Writer | null;
  readonly found: FoundCount;
  declared: DeclaredCount;
  lastFailed: string | null;
}

interface OpenCase {
  readonly attributes: Attributes;
  readonly depth: number;
  /** Created for the first child, because nearly all cases pass and are empty. */
  reader: CaseReader | null;
}

/**
 * Reads JUnit XML of any dialect. A report that cannot be read to its end, or whose counts do not match its content, has a fault. Sources:
 * the writers' own code and documents, named beside each file of `test/flaky/fixtures/reports`.
 *
 * @param room shared by all reports of an upload.
 */
export function createReportReader(
  limits: ReportLimits = defaultReportLimits,
  known?: KnownTests,
  room: FailureRoom = new FailureRoom(limits),
): ReportReader {
  const collector = createRunCollector(known);
  const suites: Suite[] = [];
  let depth = 0;
  let cases = 0;
  let rootName: string | null = null;
  let current: OpenCase | null = null;
  let isSummary = false;

  function open(name: string, attributes: Attributes): void {
    depth += 1;
    const suite = suites.at(-1);
    if (depth === 1) isSummary = name === "failsafe-summary";
    if (isSummary) return readSummary(name, attributes);
    if (depth === 1) return openSuite(name, attributes);
    if (!suite) return;
    if (current) {
      current.reader ??= createCaseReader(current.attributes, room);
      if (!current.reader.open(name, attributes, depth)) suite.found.unknown ??= name;
    } else if (name === "testsuite") openSuite(name, attributes);
    else if (name === "testcase") openCase(attributes);
    else if (isExitOfFailures(name, attributes, suite.found)) suite.found.failures += 1;
    else if (!isInert(name)) suite.found.unknown ??= name;
  }

  /** Maven Failsafe writes this file in addition to its reports. It contains no tests, but says whether the run ended early. */
  function readSummary(name: string, attributes: Attributes): void {
    const isUnfinished = name === "failureMessage" && attributes["xsi:nil"] !== "true";
    if (attributes.timeout === "true" || isUnfinished)
      throw new ReportRefused("TRUNCATED", "Failsafe's summary says that the run did not end by itself");
  }

  function openSuite(name: string, attributes: Attributes): void {
    if (depth === 1 && name !== "testsuites" && name !== "testsuite")
      throw new ReportRefused(
        "NOT_JUNIT",
        `<${name.slice(0, 40)}> begins no JUnit report: choose your runner's JUnit reporter`,
      );
    const outer = suites.at(-1);
    if (depth === 1) rootName = nameIn(attributes);
    const own = name === "testsuite" ? nameIn(attributes) : null;
    suites.push({
      name: own,
      nearestName: own ?? outer?.nearestName ?? null,
      file: attributes.file ?? attributes.filepath ?? outer?.file ?? null,
      hostname: attributes.hostname ?? null,
      isPlaywright: outer?.isPlaywright ?? (name === "testsuites" && attributes.id !== undefined),
      writer: writerOf(attributes, rootName),
      found: nothingFound(),
      declared: readDeclaredCount(attributes),
      lastFailed: null,
    });
  }

  function openCase(attributes: Attributes): void {
    cases += 1;
    if (cases > limits.cases)
      throw new ReportRefused(
        "TOO_MANY_CASES",
        `more than ${limits.cases} test cases: split the report by suite`,
      );
    if (attributes.name === undefined)
      throw new ReportRefused("NAME_MISSING", "a test case without a name: nothing could be known of it");
    current = { attributes, depth, reader: null };
  }

  function close(name: string): void {
    depth -= 1;
    if (current && depth === current.depth - 1) closeCase(current);
    else if (current) current.reader?.close(depth + 1);
    else if (name === "testsuite" || depth === 0) closeSuite();
  }

  function closeCase({ attributes, reader }: OpenCase): void {
    current = null;
    const suite = suites.at(-1);
    if (!suite) return;
    const tally = reader?.tally() ?? emptyTally;
    const hasFailed = tally.failures > 0;
    const isRepeated = hasFailed && attributes.name === suite.lastFailed;
    countCase(suite.found, tally, { isRepeated, isMain: isTestMain(attributes) });
    if (hasFailed) suite.lastFailed = attributes.name ?? null;
    const classname = attributes.classname ?? null;
    const parent = suite.nearestName;
    collector.add({
      file: attributes.file ?? attributes.filepath ?? suite.file,
      classname,
      parent,
      name: attributes.name ?? "",
      givenId: attributes.id ?? null,
      // Playwright runs a test once for each project, and names the project only here. Other writers put the machine's name here.
      variant: suite.isPlaywright && classname === parent ? (suite.hostname ?? "") : "",
      attempts: reader?.attempts() ?? [ownAttempt(attributes)],
    });
  }

  function closeSuite(): void {
    const suite = suites.pop();
    if (!suite) return;
    const { found } = suite;
    checkCount(
      suite.name === null ? "the report" : `the suite "${suite.name.slice(0, 200)}"`,
      suite.writer,
      suite.declared,
      found,
    );
    const outer = suites.at(-1)?.found;
    if (outer) countSuite(outer, found);
  }

  /** node:test writes no counts on its root, but writes those of the run in comments at its end. */
  function comment(text: string): void {
    const [, what, count] = /^ (tests|fail|cancelled) (\d{1,9}) $/.exec(text) ?? [];
    const root = suites[0];
    if (!root || suites.length > 1 || count === undefined) return;
    const { declared } = root;
    root.declared =
      what === "tests"
        ? { ...declared, tests: Number(count) }
        : { ...declared, failed: (declared.failed ?? 0) + Number(count) };
  }

  const xml = createXmlReader(
    { open, close, comment, text: (value) => current?.reader?.text(value) },
    limits,
  );

  function end(): TestReport {
    const fault = xml.end() ?? (cases === 0 && !isSummary ? noTests() : null);
    const { runs, failing } = collector;
    return { runs, failing, cases, fault };
  }

  return { write: xml.write, end };
}

function nameIn(attributes: Attributes): string | null {
  // unittest-xml-reporting appends the time of the run, with which no test would be the same in two runs.
  const name = (attributes.name ?? "").replace(/-20\d{12}$/, "");
  return name === "" ? null : name;
}

function noTests(): ReportFault {
  return { code: "NO_TESTS", message: "the report holds no test: a run of nothing shows nothing" };
}
