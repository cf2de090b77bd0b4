/** Why a report is no evidence. Based on such a report, unknown failures could be forgiven. */
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
  | "ENCODING_NOT_SUPPORTED"
  /** It contains a NUL character, which XML forbids. */
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

  constructor(code: ReportFaultCode, message: string) {
    super(message);
    this.fault = { code, message };
  }
}

/** The limits of a report. A hostile report then causes a clear error instead of using up the service's memory. */
export interface ReportLimits {
  /** After decompression. The code that decompresses a report also limits the compression ratio. */
  readonly bytes: number;
  /** Nested elements. */
  readonly depth: number;
  readonly cases: number;
  /** Failed attempts. A build with more is broken as a whole, and says nothing about single tests. */
  readonly failures: number;
  /** Characters kept of a failure's message, and of its text. */
  readonly failureText: number;
  /** Characters kept of all failures together. After that, only `shortFailureText` characters of each are kept. */
  readonly failureTexts: number;
  readonly shortFailureText: number;
  /** Characters of one tag with its attributes. */
  readonly tag: number;
  /** Characters of other parts, such as comments, that are kept until they are complete. Output is not kept. */
  readonly token: number;
}

export const defaultReportLimits: ReportLimits = {
  bytes: 256 * 1024 * 1024,
  depth: 64,
  cases: 200_000,
  failures: 10_000,
  failureText: 16_000,
  failureTexts: 16_000_000,
  shortFailureText: 1_000,
  tag: 1024 * 1024,
  token: 4 * 1024 * 1024,
};

/** Limits what is kept of the failures of one upload's reports: there may be many, each with a long text. */
export class FailureRoom {
  readonly #limits: ReportLimits;
  #failures = 0;
  #characters = 0;

  constructor(limits: ReportLimits) {
    this.#limits = limits;
  }

  /**
   * The maximum number of characters to keep of the next failure's message, and of its text.
   *
   * @throws ReportRefused when the reports have too many failures.
   */
  next(): number {
    const { failures, failureText, failureTexts, shortFailureText } = this.#limits;
    this.#failures += 1;
    if (this.#failures > failures)
      throw new ReportRefused(
        "TOO_MANY_FAILURES",
        `more than ${failures} failures: repair what they have in common, or upload fewer reports at a time`,
      );
    return this.#characters < failureTexts ? failureText : Math.min(failureText, shortFailureText);
  }

  /** Records how many characters were kept of a failure. */
  keep(characters: number): void {
    this.#characters += characters;
  }
}
