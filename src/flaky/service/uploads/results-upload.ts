import { createHash } from "node:crypto";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import type { TestExecution } from "../../report/test-execution.ts";
import type { TestUploadFacts } from "../../store/uploads/upload-records.ts";
import type { ReadReport, ReadReports, SentReports } from "./read-reports.ts";

/** The test results that a job uploads. */
export interface ResultsUpload extends Omit<TestUploadFacts, "at" | "line"> {
  /** The base branch of the change; null when not given. */
  readonly baseBranch: string | null;
  /** The commit that the tested one is built on; null when not given. */
  readonly baseSha: string | null;
  readonly repo: RepositoryRef;
  /** Whether the step that ran the tests failed. */
  readonly stepFailed: boolean;
  /** The number of reports; null when unknown. */
  readonly expectedReports: number | null;
  /** When false, failures of quarantined tests count. */
  readonly quarantine: boolean;
  readonly reports: SentReports;
}

/** Whether it is known what was tested. */
export function isCodeKnown({ kind }: ResultsUpload): boolean {
  return kind !== "unknown";
}

export function* testRunsOf(reports: readonly ReadReport[]): Generator<TestExecution> {
  for (const { runs } of reports) yield* runs;
}

/** The ids of all tests with a failed attempt. Even a passed test of this kind may be in doubt. */
export function idsThatFailed(
  reports: readonly ReadReport[],
  idOf: (run: TestExecution) => string,
): string[] {
  const ids = new Set<string>();
  for (const { failing } of reports) for (const run of failing) ids.add(idOf(run));
  return [...ids];
}

export function caseCountOf(reports: readonly ReadReport[]): number {
  return reports.reduce((sum, { cases }) => sum + cases, 0);
}

/** Whether later uploads may be compared with it. */
export function isUploadGreen(
  { stepFailed, expectedReports }: ResultsUpload,
  reports: readonly ReadReport[],
): boolean {
  if (stepFailed || reports.length === 0) return false;
  if (expectedReports !== null && expectedReports !== reports.length) return false;
  return reports.every(({ fault }) => fault === null);
}

export function factsOf(upload: ResultsUpload): Omit<TestUploadFacts, "at" | "line"> {
  const { headSha, treeSha, branch, kind, pr, runId, runAttempt, workflow, job, variant, step } = upload;
  return { headSha, treeSha, branch, kind, pr, runId, runAttempt, workflow, job, variant, step };
}

export function digestOf(
  { runId, runAttempt, workflow, job, variant, step }: ResultsUpload,
  { digest: content }: ReadReports,
): string {
  const key = JSON.stringify([
    runId,
    runAttempt,
    workflow,
    job,
    variant,
    ...(step === "" ? [] : [step]),
    content,
  ]);
  return createHash("sha256").update(key).digest("hex");
}
