import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReportLimits } from "../../src/flaky/report/fault.ts";
import { createReportReader, type TestReport } from "../../src/flaky/report/read-report.ts";

export function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, "fixtures", "reports", `${name}.xml`));
}

/** Reads the report in pieces of `piece` bytes. */
export function readReport(
  report: string | Uint8Array,
  { limits, piece = 4096 }: { limits?: ReportLimits; piece?: number } = {},
): TestReport {
  const bytes = typeof report === "string" ? new TextEncoder().encode(report) : report;
  const reader = createReportReader(limits);
  for (let at = 0; at < bytes.length; at += piece) if (!reader.write(bytes.subarray(at, at + piece))) break;
  return reader.end();
}

/** A line for each run, with its name and the outcomes of its attempts. */
export function runsOf(report: TestReport): string[] {
  return [...report.runs].map(
    ({ parent, name, variant, attempts, isRepeated }) =>
      `${parent ?? "-"} / ${name}${variant && ` (${variant})`}: ${attempts.map(({ outcome }) => outcome).join(", ")}${isRepeated ? ", in cases" : ""}`,
  );
}
