import { type AttemptCount, countAttempts, isHabit, noAttempts, type Writer } from "./count-habits.ts";
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

/** The counts of what a suite holds. */
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

/** Adds a case to the counts. */
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
 * Refuses a suite whose counts do not match its content: something was lost before the report reached us.
 *
 * Writers differ in what they count: cases or failures in them, directly or in all, with or without inner suites, each retry or
 * none. The count of failures has to match one of these. More tests may be found than are counted (Jest leaves out "todo" tests,
 * Surefire leaves out reruns), but not fewer, unless that is a habit of the writer (count-habits.ts).
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
