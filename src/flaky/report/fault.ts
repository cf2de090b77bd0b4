/** Why a report is no evidence: forgiving failures based on it would forgive some that nobody has seen. */
export interface ReportFault {
  readonly code: ReportFaultCode;
  /** What is wrong, where, and what to do. */
  readonly message: string;
}

export type ReportFaultCode =
  /** Its compression or encoding is damaged or truncated. */
  | "NOT_DECODABLE"
  /** Only white space. */
  | "EMPTY"
  /** It ends before its root does. */
  | "TRUNCATED"
  /** Not well-formed XML. */
  | "MALFORMED"
  /** Not in a supported encoding. */
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
  /** A report without any test. */
  | "NO_TESTS"
  /** A suite's counts of tests or failures do not match its content. */
  | "MISCOUNTED"
  /** A test case is marked as failed, but holds no failure. */
  | "CONTRADICTORY"
  /** An unknown element, in a suite that does not count its failures. */
  | "UNKNOWN_ELEMENT";

/** Ends the reading of a report. It is always caught within this folder. */
export class ReportRefused extends Error {
  readonly fault: ReportFault;
  /** The offset from the beginning of the part that was being read. */
  readonly at: number;

  constructor(code: ReportFaultCode, message: string, at = 0) {
    super(message);
    this.fault = { code, message };
    this.at = at;
  }
}

/** The caller that knows how far the report was read adds the line. */
export function malformed(what: string, at = 0): ReportRefused {
  return new ReportRefused("MALFORMED", what, at);
}
