/** The limits of a report. A hostile report causes a clear error instead of using up the service's memory. */
export interface ReportLimits {
  /** After decompression. The code that decompresses a report also limits the compression ratio. */
  readonly bytes: number;
  /** Nested elements. */
  readonly depth: number;
  readonly cases: number;
  /** Failed attempts. A build with more of them is broken as a whole, and says nothing about single tests. */
  readonly failures: number;
  /** Characters kept of a failure's message, and of its text. */
  readonly failureText: number;
  /** Characters kept of all failures together. After that, only `shortFailureText` characters of each are kept. */
  readonly failureTexts: number;
  readonly shortFailureText: number;
  /** Characters of one tag with its attributes. */
  readonly tag: number;
  /** Characters of anything else that is kept until its end arrives, such as a comment. Output is not kept. */
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
