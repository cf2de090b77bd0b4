import { ReportRefused } from "./fault.ts";
import type { CaseTally } from "./read-case.ts";

/** The counts that a suite, or the report as a whole, declares. */
export interface DeclaredCount {
  readonly tests: number | null;
  readonly failures: number | null;
  readonly errors: number | null;
  /** Failures and errors together. */
  readonly failed: number | null;
  readonly skipped: number | null;
}

/** The counts of what a suite contains. */
export interface FoundCount {
  /** Test cases and suites directly in it. */
  children: number;
  cases: number;
  allCases: number;
  failedCases: number;
  allFailedCases: number;
  /** `<failure>` and `<error>`: some cases have several. */
  failures: number;
  allFailures: number;
  /** Failed cases; several in a row with one name count once: Jest's reporter writes a suite that cannot run as two cases. */
  failedNames: number;
  allFailedNames: number;
  failedSuites: number;
  readonly own: AttemptCount;
  /** The first unknown element here. */
  unknown: string | null;
}

export function nothingFound(): FoundCount {
  return {
    children: 0,
    cases: 0,
    allCases: 0,
    failedCases: 0,
    allFailedCases: 0,
    failures: 0,
    allFailures: 0,
    failedNames: 0,
    allFailedNames: 0,
    failedSuites: 0,
    own: noAttempts(),
    unknown: null,
  };
}

/** The properties of a case besides its outcome. */
export interface CaseKind {
  /** It has the name of the previous failed case. */
  readonly isRepeated: boolean;
  readonly isMain: boolean;
}

export function countCase(found: FoundCount, tally: CaseTally, { isRepeated, isMain }: CaseKind): void {
  const { failures } = tally;
  countAttempts(found.own, tally, isMain);
  const failed = Math.sign(failures);
  found.children += 1;
  found.cases += 1;
  found.allCases += 1;
  found.failures += failures;
  found.allFailures += failures;
  found.failedCases += failed;
  found.allFailedCases += failed;
  found.failedNames += isRepeated ? 0 : failed;
  found.allFailedNames += isRepeated ? 0 : failed;
}

/** Adds an inner suite to the counts, with everything in it. */
export function countSuite(found: FoundCount, inner: FoundCount): void {
  found.children += 1;
  found.allCases += inner.allCases;
  found.allFailures += inner.allFailures;
  found.allFailedCases += inner.allFailedCases;
  found.allFailedNames += inner.allFailedNames;
  found.failedSuites += Math.sign(inner.allFailedCases);
}

export function readDeclaredCount(attributes: Readonly<Record<string, string>>): DeclaredCount {
  const failures = readCount(attributes, "failures");
  const errors = readCount(attributes, "errors");
  const failed = failures === null && errors === null ? null : (failures ?? 0) + (errors ?? 0);
  const [tests, skipped] = [readCount(attributes, "tests"), readCount(attributes, "skipped")];
  return { tests, failures, errors, failed, skipped };
}

function readCount(attributes: Readonly<Record<string, string>>, name: string): number | null {
  const text = attributes[name];
  if (text === undefined || text === "") return null;
  if (!/^\d{1,9}$/.test(text))
    throw new ReportRefused("MISCOUNTED", `${name}="${text.slice(0, 40)}" is no count`);
  return Number(text);
}

/**
 * Refuses a suite whose counts do not match its content, because something was lost before the report reached us.
 *
 * Some writers count cases and others count failures, with or without inner suites, and with or without retries. The count of failures has
 * to match one of these. More tests may be found than are counted (Jest leaves out "todo" tests, Surefire leaves out reruns), but fewer
 * only if that is a habit of the writer.
 */
export function checkCount(
  suite: string,
  writer: Writer | null,
  declared: DeclaredCount,
  found: FoundCount,
): void {
  const difference = differenceOf(declared, found);
  if (difference !== null && !isHabit(writer, declared, found))
    throw new ReportRefused("MISCOUNTED", `${suite} counts ${difference}`);
  if (declared.failed === null && found.unknown !== null)
    throw new ReportRefused(
      "UNKNOWN_ELEMENT",
      `${suite} holds <${found.unknown}>, and no count of its failures: it may be one`,
    );
}

function differenceOf({ tests, failed }: DeclaredCount, found: FoundCount): string | null {
  const most = Math.max(found.allCases, found.children);
  if (tests !== null && tests > most) return `${tests} tests, and holds ${most}`;
  const ways = [
    found.failedCases,
    found.allFailedCases,
    found.failures,
    found.allFailures,
    found.failedNames,
    found.allFailedNames,
    found.failedCases + found.failedSuites,
  ];
  if (failed === null || ways.includes(failed)) return null;
  return `${failed} failures, and holds ${found.allFailedCases}`;
}

/** A writer whose counts differ from the cases that it writes. */
export type Writer = "surefire" | "pytest" | "minitest-junit" | "mocha-junit-reporter" | "catch2";

/** Counts of a suite's own cases, which reveal the habits of writers. */
export interface AttemptCount {
  /** Reruns included. */
  attempts: number;
  failedAttempts: number;
  /** Failed cases that were run again. */
  failedReruns: number;
  /** Cases with an `<error>`. */
  erred: number;
  skipped: number;
  /** Failed cases that gotestsum writes for a package whose `TestMain` fails. */
  failedMains: number;
}

export function noAttempts(): AttemptCount {
  return { attempts: 0, failedAttempts: 0, failedReruns: 0, erred: 0, skipped: 0, failedMains: 0 };
}

export function countAttempts(count: AttemptCount, tally: CaseTally, isMain: boolean): void {
  const { failures, errors, reruns, flakes, isSkipped } = tally;
  count.attempts += 1 + reruns + flakes;
  count.failedAttempts += Math.sign(failures) + reruns + flakes;
  count.failedReruns += failures > 0 && reruns > 0 ? 1 : 0;
  count.erred += Math.sign(errors);
  count.skipped += isSkipped && failures === 0 ? 1 : 0;
  count.failedMains += isMain && failures > 0 ? 1 : 0;
}

/** Whether gotestsum wrote the case for a failed `TestMain`: only this case has no package. */
export function isTestMain({ name, classname }: Readonly<Record<string, string>>): boolean {
  return name === "TestMain" && (classname === "" || classname === ".");
}

/**
 * Whether an element of a suite is TAP::Formatter::JUnit's error for an exit code that is the number of failed tests, as Test::More's
 * is. Any other exit code means that the tests did not run to their end.
 */
export function isExitOfFailures(
  name: string,
  { message = "" }: Readonly<Record<string, string>>,
  { own }: FoundCount,
): boolean {
  const [, code] = /^Dubious, test returned (\d{1,3}) /.exec(message) ?? [];
  return name === "error" && code !== undefined && Number(code) === own.failedAttempts - own.erred;
}

/** Null: the suite's writer has no known habit. */
export function writerOf(suite: Readonly<Record<string, string>>, rootName: string | null): Writer | null {
  // From 3.5.4 on, Surefire counts `flakes`, and its other counts match its cases.
  const isSurefire = suite["xsi:noNamespaceSchemaLocation"]?.includes("surefire-test-report") ?? false;
  if (isSurefire) return suite.flakes === undefined ? "surefire" : null;
  if (suite.name === "pytest" || rootName === "pytest tests") return "pytest";
  if (suite.hostname === "tbd") return "catch2";
  // Mocha's own reporter "xunit" uses the same name, and counts errors.
  if (rootName === "Mocha Tests" && suite.errors === undefined) return "mocha-junit-reporter";
  return suite.name === "minitest" ? "minitest-junit" : null;
}

type Explains = (declared: DeclaredCount, found: FoundCount) => boolean;

/**
 * Differences that a writer always makes, and that hide no failure. cucumber-jvm before 1.1.3 is not among them: it counts
 * scenarios that it does not write, and some of those may have failed.
 */
const habits: Readonly<Record<Writer, Explains>> = {
  surefire: (declared, found) => countsEachRun(declared, found) || countsLastRun(declared, found),
  // Each passed subtest counts as a test, but has no case.
  pytest: ({ failed }, { failures }) => failed === failures,
  // Each assertion counts as a test, even in sections without a case.
  catch2: ({ failed }, { failures }) => failed === failures,
  // A skipped test also counts as a failure.
  "minitest-junit": ({ tests, failures, errors, skipped }, { cases, failedCases, own }) =>
    tests === cases &&
    skipped === own.skipped &&
    errors === own.erred &&
    failures === failedCases - own.erred + own.skipped,
  // A skipped test has no case. A suite does not say how many it skips, but the root does, and it counts everything.
  "mocha-junit-reporter": ({ tests, failed, skipped }, { cases, allCases, failedCases, allFailedCases }) =>
    skipped === null
      ? cases === allCases && failed === failedCases
      : tests !== null && tests - skipped <= allCases && failed === allFailedCases,
};

/** With JUnit 4, each rerun counts as a test. Of skipped tests with the same name, only the first is written. */
function countsEachRun({ tests, failed, skipped }: DeclaredCount, { own }: FoundCount): boolean {
  if (tests === null || skipped === null) return false;
  return failed === own.failedAttempts && tests - skipped <= own.attempts - own.skipped;
}

/** With JUnit 5, only the last rerun counts. Failures of a nested class or of `@BeforeAll` may be rerun under another name. */
function countsLastRun({ tests, failed }: DeclaredCount, { cases, own }: FoundCount): boolean {
  return tests !== null && tests < cases && failed === own.failedReruns;
}

/** Whether the difference between a suite's counts and its cases is one that its writer always makes. */
export function isHabit(writer: Writer | null, declared: DeclaredCount, found: FoundCount): boolean {
  if (writer !== null && habits[writer](declared, found)) return true;
  const { cases, failedCases, own } = found;
  const isCounted = declared.tests !== null && declared.tests <= cases;
  return own.failedMains > 0 && isCounted && declared.failed === failedCases - own.failedMains;
}
