import type { ReportFault } from "../report/fault.ts";
import type { TestReport } from "../report/read-report.ts";
import { mayBeTwo, outcomeOf, type TestExecution } from "../report/test-execution.ts";

/** One upload: the result of the job's step, and its reports. */
export interface Upload {
  readonly stepFailed: boolean;
  readonly reports: readonly TestReport[];
  /** How many reports there are according to the sender; null = unknown. */
  readonly expectedReports: number | null;
  /** Tests that are expected for the tested code and are in no report; null = none is missing. */
  readonly missingTests: MissingTests | null;
}

export interface MissingTests {
  readonly count: number;
  /** The names of some; empty when they are not known. */
  readonly names: readonly string[];
  /** The number of shards of the run that may have the tests and have not reported yet. */
  readonly awaitedShards: number;
}

export interface FailedTest {
  readonly id: string;
  readonly run: TestExecution;
}

/** The verdict on an upload. Only `quarantined` turns a failed step into one that passes. */
export interface UploadVerdict {
  readonly verdict: "passed" | "quarantined" | "failed" | "unknown";
  readonly code: VerdictCode;
  /** What to do about it, unless that is obvious. */
  readonly message: string;
  /** The number of shards whose reports may still change the verdict; absent unless the code is `TESTS_MISSING`. */
  readonly awaitedShards?: number;
  /** The failures that count, in the order in which the reports list them. */
  readonly failed: readonly FailedTest[];
  /** Failures that are forgiven unless something else counts against the upload. */
  readonly quarantined: readonly FailedTest[];
}

export type VerdictCode =
  | "NOTHING_FAILED"
  | "ALL_QUARANTINED"
  | "FAILURES_COUNT"
  | "NO_REPORT"
  | "REPORTS_MISSING"
  | "TESTS_MISSING"
  /** A report is faulty; the message says what is wrong with it. */
  | "REPORT_FAULTY"
  | "FAILED_OUTSIDE_OF_TESTS"
  | "RETRY_UNCERTAIN";

export interface Judgement {
  readonly idOf: (run: TestExecution) => string;
  readonly isQuarantined: (id: string) => boolean;
  /** Whether another test of the same name is known. If so, the attempts belong to two tests. */
  readonly hasNamesake: (run: TestExecution) => boolean;
}

/** The failures, regardless of the quality of the reports. */
type Failures = Pick<UploadVerdict, "failed" | "quarantined">;

/**
 * Judges an upload. If a report is missing, truncated, miscounted or doubtful, the job's own result counts. It also counts if no test
 * explains a failure.
 */
export function judgeUpload(upload: Upload, judgement: Judgement): UploadVerdict {
  const failures = failuresOf(upload.reports, judgement);
  if (failures.failed.length > 0)
    return { verdict: "failed", code: "FAILURES_COUNT", message: "", ...failures };
  const doubt = doubtOf(upload, failures);
  if (doubt) return { verdict: "unknown", ...doubt, ...failures };
  if (failures.quarantined.length > 0)
    return { verdict: "quarantined", code: "ALL_QUARANTINED", message: "", ...failures };
  return { verdict: "passed", code: "NOTHING_FAILED", message: "", ...failures };
}

/** The failures. A case that may belong to another test is not forgiven. */
function failuresOf(
  reports: readonly TestReport[],
  { idOf, isQuarantined, hasNamesake }: Judgement,
): Failures {
  const failed: FailedTest[] = [];
  const quarantined: FailedTest[] = [];
  for (const run of failingRuns(reports)) {
    const areTwo = run.isRepeated && hasNamesake(run);
    if (outcomeOf(run) !== "failed" && !areTwo) continue;
    const id = idOf(run);
    const isForgiven = isQuarantined(id) && !mayBeTwo(run) && !areTwo;
    (isForgiven ? quarantined : failed).push({ id, run });
  }
  return { failed, quarantined };
}

function doubtOf(
  { reports, expectedReports, missingTests, stepFailed }: Upload,
  { quarantined }: Failures,
): Pick<UploadVerdict, "code" | "message" | "awaitedShards"> | null {
  if (reports.length === 0)
    return { code: "NO_REPORT", message: "no report was uploaded: check the path of the reports" };
  const fault = reports.find((report) => report.fault !== null)?.fault;
  if (fault) return { code: "REPORT_FAULTY", message: renderFault(fault) };
  if (expectedReports !== null && reports.length !== expectedReports)
    return {
      code: "REPORTS_MISSING",
      message: `${reports.length} of ${expectedReports} reports arrived: upload them again`,
    };
  if (missingTests) {
    const { awaitedShards } = missingTests;
    return { code: "TESTS_MISSING", message: renderMissing(missingTests), awaitedShards };
  }
  if (!stepFailed) return null;
  const doubtful = doubtfulRetry(reports);
  if (doubtful)
    return {
      code: "RETRY_UNCERTAIN",
      message: `"${doubtful.name}" failed and passed in cases of one name: they may be two tests`,
    };
  if (quarantined.length === 0)
    return { code: "FAILED_OUTSIDE_OF_TESTS", message: "the step failed, and no test did: see its log" };
  return null;
}

/** A test whose failure may be hidden by the pass of a second test with the same name. */
function doubtfulRetry(reports: readonly TestReport[]): TestExecution | null {
  for (const run of failingRuns(reports)) if (mayBeTwo(run)) return run;
  return null;
}

/** Whether cases of one name are retries of one test. They are only if the step passed, and each failure was followed by a pass. */
export function areRetries({ reports, stepFailed }: Pick<Upload, "reports" | "stepFailed">): boolean {
  if (stepFailed) return false;
  for (const run of failingRuns(reports)) if (outcomeOf(run) === "failed") return false;
  return true;
}

function* failingRuns(reports: readonly TestReport[]): Generator<TestExecution> {
  for (const { failing } of reports) yield* failing;
}

function renderMissing({ count, names, awaitedShards }: MissingTests): string {
  const listed = names.map((name) => JSON.stringify(name)).join(", ");
  const examples = names.length === 0 ? "" : names.length < count ? ` (such as ${listed})` : ` (${listed})`;
  const tests = count === 1 ? "1 test" : `${count} tests`;
  const shards =
    awaitedShards === 0
      ? "another shard may not have reported yet"
      : `shards that have not reported yet (${awaitedShards}) may have them`;
  return `${tests} of the complete run that it is compared with did not run${examples}: a suite may not have run, ${shards}, or the change deletes them`;
}

function renderFault({ code, message }: ReportFault): string {
  return `${code}: ${message}`;
}
