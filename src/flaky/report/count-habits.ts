import type { CaseTally } from "./read-case.ts";
import type { DeclaredCount, FoundCount } from "./suite-count.ts";

/** A writer whose counts differ from the cases that it writes. */
export type Writer = "surefire" | "pytest" | "minitest-junit";

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

/** Null: the suite's writer has no known habit. */
export function writerOf(suite: Readonly<Record<string, string>>, rootName: string | null): Writer | null {
  // From 3.5.4 on, Surefire counts `flakes`, and its other counts match its cases.
  const isSurefire = suite["xsi:noNamespaceSchemaLocation"]?.includes("surefire-test-report") ?? false;
  if (isSurefire) return suite.flakes === undefined ? "surefire" : null;
  if (suite.name === "pytest" || rootName === "pytest tests") return "pytest";
  return suite.name === "minitest" ? "minitest-junit" : null;
}

type Explains = (declared: DeclaredCount, found: FoundCount) => boolean;

/**
 * Differences that a writer always makes, and that hide no failure. cucumber-jvm before 1.1.3 is not among them: it counts
 * scenarios that it does not write, and some of those may have failed.
 */
const habits: Readonly<Record<Writer, Explains>> = {
  surefire: (declared, found) => countsEachRun(declared, found) || countsLastRun(declared, found),
  // Each subtest that passed counts as a test, but has no case.
  pytest: ({ failed }, { failures }) => failed === failures,
  // A skipped test also counts as a failure.
  "minitest-junit": ({ tests, failures, errors, skipped }, { cases, failedCases, own }) =>
    tests === cases &&
    skipped === own.skipped &&
    errors === own.erred &&
    failures === failedCases - own.erred + own.skipped,
};

/** With JUnit 4, each rerun counts as a test. Of skipped tests with one name, only the first is written. */
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
