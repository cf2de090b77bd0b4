/** Why a report cannot vouch for anything: whoever forgives failures by it would forgive some that nobody has seen. */
export interface ReportFault {
  readonly code: ReportFaultCode;
  /** What is wrong, where, and what to do. */
  readonly message: string;
}

export type ReportFaultCode =
  /** What it was compressed or encoded in is damaged, or cut off. */
  | "NOT_DECODABLE"
  /** Nothing but space. */
  | "EMPTY"
  /** It ends before its root does. */
  | "TRUNCATED"
  /** No well-formed XML. */
  | "MALFORMED"
  /** Not in an encoding that we read. */
  | "ENCODING_NOT_SUPPORTED"
  /** A NUL character, which XML cannot hold. */
  | "NUL_CHARACTER"
  | "DOCTYPE_REFUSED"
  | "REPORT_TOO_LARGE"
  | "TAG_TOO_LARGE"
  | "TOKEN_TOO_LARGE"
  | "NESTED_TOO_DEEPLY"
  | "TOO_MANY_CASES"
  | "TOO_MANY_FAILURES"
  /** XML, but no JUnit report. */
  | "NOT_JUNIT"
  /** A test case without a name. */
  | "NAME_MISSING"
  /** A report of no test at all. */
  | "NO_TESTS"
  /** A suite counts other tests or failures than it holds. */
  | "MISCOUNTED"
  /** A test case is called failed, and holds no failure. */
  | "CONTRADICTORY"
  /** An element that we do not know, in a suite that does not count its failures. */
  | "UNKNOWN_ELEMENT";

/** Ends the reading of a report; never leaves this folder. */
export class ReportRefused extends Error {
  readonly fault: ReportFault;
  /** How far behind the beginning of what was being read. */
  readonly at: number;

  constructor(code: ReportFaultCode, message: string, at = 0) {
    super(message);
    this.fault = { code, message };
    this.at = at;
  }
}

/** The line is added by whoever knows how far the report was read. */
export function malformed(what: string, at = 0): ReportRefused {
  return new ReportRefused("MALFORMED", what, at);
}
