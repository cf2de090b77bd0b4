import { createHash } from "node:crypto";
import { yieldToEventLoop } from "../../../service/workers/yield-to-event-loop.ts";
import type { KnownTests } from "../../report/collect-runs.ts";
import { defaultReportLimits, FailureRoom, type ReportFault } from "../../report/fault.ts";
import { createReportReader, type ReportReader, type TestReport } from "../../report/read-report.ts";
import type { KeptReport } from "../../store/uploads/late-result-store.ts";

/** A sent report, decoded piece by piece. Iterating the pieces may throw a {@link ReportUndecodable}. */
export interface SentReport {
  readonly path: string;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Returns the report in a form that can be stored and read again. Absent when it can be read only once. */
  readonly keep?: () => Promise<KeptReport>;
}

/** Reports in sequence. Each must be read or skipped before the next. */
export type SentReports = Iterable<SentReport> | AsyncIterable<SentReport>;

/** The encoding of a report is invalid, or it decodes to too many bytes. */
export class ReportUndecodable extends Error {
  readonly fault: ReportFault;

  constructor(fault: ReportFault) {
    super(fault.message);
    this.fault = fault;
  }
}

export interface ReadReport extends TestReport {
  readonly path: string;
}

export interface ReadReports {
  /** In the order in which they were sent. */
  readonly sent: readonly SentReport[];
  readonly reports: readonly ReadReport[];
  /** Of all decoded content, in hex. */
  readonly digest: string;
}

/** The number of bytes to read before other work runs: some 200 tests, whose ids may have to be computed. */
const bytesAtATime = 16 * 1024;

/**
 * Reads the reports of an upload one after the other. An unreadable report gets a `fault`. All reports
 * together share the limits of one. Other work runs every few milliseconds.
 */
export async function readReports(sent: SentReports, known: KnownTests): Promise<ReadReports> {
  const content = createHash("sha256");
  const { bytes, cases } = defaultReportLimits;
  const budget = { bytes, cases };
  const room = new FailureRoom(defaultReportLimits);
  const reports: ReadReport[] = [];
  const all: SentReport[] = [];
  for await (const report of sent) {
    const { path, pieces } = report;
    all.push(report);
    const reader = createReportReader({ ...defaultReportLimits, ...budget }, known, room);
    content.update(`${path}\0`);
    let undecodable: ReportFault | null = null;
    try {
      for await (const piece of pieces) {
        content.update(piece);
        budget.bytes -= piece.length;
        if (!(await readPiece(reader, piece))) break;
      }
    } catch (error) {
      if (!(error instanceof ReportUndecodable)) throw error;
      undecodable = error.fault;
    }
    const read = reader.end();
    budget.bytes = Math.max(0, budget.bytes);
    budget.cases = Math.max(0, budget.cases - read.cases);
    reports.push({ ...read, path, fault: undecodable ?? read.fault });
  }
  return { sent: all, reports, digest: content.digest("hex") };
}

/** Returns false when the rest is not needed. */
async function readPiece(reader: ReportReader, piece: Uint8Array): Promise<boolean> {
  for (let at = 0; at < piece.length; at += bytesAtATime) {
    await yieldToEventLoop();
    if (!reader.write(piece.subarray(at, at + bytesAtATime))) return false;
  }
  return true;
}

/** A semaphore: runs at most N tasks at once. The others wait in order of arrival. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
