import { createHash } from "node:crypto";
import type { KnownTests } from "../../flaky/report/collect-runs.ts";
import type { ReportFault } from "../../flaky/report/fault.ts";
import { defaultReportLimits } from "../../flaky/report/limits.ts";
import { createReportReader, type TestReport } from "../../flaky/report/read-report.ts";

/** A report as it was sent, decoded piece by piece. Going through the pieces may throw a {@link ReportUndecodable}. */
export interface SentReport {
  readonly path: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** One after the other: each has to be gone through, or left, before the next. */
export type SentReports = Iterable<SentReport> | AsyncIterable<SentReport>;

/** What a report was sent in cannot be decoded, or becomes too much. */
export class ReportUndecodable extends Error {
  readonly fault: ReportFault;

  constructor(fault: ReportFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** What a report came to. */
export interface ReadReport extends TestReport {
  readonly path: string;
}

export interface ReadReports {
  readonly reports: readonly ReadReport[];
  /** Of all that was decoded, in hex. */
  readonly digest: string;
}

/**
 * Reads the reports of an upload one after the other. What is wrong with one is its fault; all of them together may be as long as one.
 * Between two pieces others get their turn, as far as the pieces are waited for.
 */
export async function readReports(sent: SentReports, known: KnownTests): Promise<ReadReports> {
  const content = createHash("sha256");
  const budget = { bytes: defaultReportLimits.bytes, cases: defaultReportLimits.cases };
  const reports: ReadReport[] = [];
  for await (const { path, pieces } of sent) {
    const reader = createReportReader({ ...defaultReportLimits, ...budget }, known);
    content.update(`${path}\0`);
    let undecodable: ReportFault | null = null;
    try {
      for await (const piece of pieces) {
        content.update(piece);
        budget.bytes -= piece.length;
        if (!reader.write(piece)) break;
      }
    } catch (error) {
      if (!(error instanceof ReportUndecodable)) throw error;
      undecodable = error.fault;
    }
    const report = reader.end();
    budget.bytes = Math.max(0, budget.bytes);
    budget.cases = Math.max(0, budget.cases - report.cases);
    reports.push({ ...report, path, fault: undecodable ?? report.fault });
  }
  return { reports, digest: content.digest("hex") };
}
