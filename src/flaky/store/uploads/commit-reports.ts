import { sql } from "kysely";
import type { Database } from "../../../store/sqlite/schema.ts";
import { settingsOf } from "../quarantines/test-settings-store.ts";
import type { CommitReport } from "../reads/stored-test-reads.ts";
import { type JobUpload, testsNewToBase } from "./tests-new-to-base.ts";

/**
 * The maximum number of failed tests to read per upload. With more, the failures are not about single tests.
 */
const mostFailed = 100;

interface ReportedRepository {
  readonly id: number;
  readonly quarantining: number;
  readonly settings: string | null;
}

/** The uploads for a commit, oldest first, with the tests that finally failed. */
export async function commitReports(
  db: Database,
  repository: ReportedRepository,
  headSha: string,
  now: number,
): Promise<readonly CommitReport[]> {
  const uploads = await db
    .selectFrom("test_uploads")
    .select(["id", "at", "run_id", "run_attempt", "workflow", "job", "variant", "step"])
    .select(["head_sha", "verdict", "failed", "is_suspect"])
    .where("repo_id", "=", repository.id)
    .where("head_sha", "=", headSha)
    .orderBy("id")
    .execute();
  const reports: CommitReport[] = [];
  for (const upload of uploads) {
    const failed = upload.failed === 0 ? [] : await failedTests(db, repository, upload, now);
    reports.push({
      runId: upload.run_id,
      runAttempt: upload.run_attempt,
      job: upload.job,
      variant: upload.variant,
      verdict: upload.verdict,
      isSuspect: upload.is_suspect === 1,
      failedCount: upload.failed,
      failed,
    });
  }
  return reports;
}

async function failedTests(
  db: Database,
  repository: ReportedRepository,
  upload: JobUpload & { readonly at: number },
  now: number,
): Promise<CommitReport["failed"]> {
  const rows = await db
    .selectFrom("test_failures as failure")
    .innerJoin("test_cases as test", "test.sk", "failure.test_sk")
    .select(["test.sk", "test.name", "test.status", "test.quarantined", "test.quarantine_expires_at"])
    // Filters by the time as well, because failures are indexed by time and not by upload.
    .where("failure.repo_id", "=", repository.id)
    .where("failure.at", "=", upload.at)
    .where("failure.upload_id", "=", upload.id)
    .where("failure.is_final", "=", sql.lit(1))
    .distinct()
    .limit(mostFailed)
    .execute();
  const isHeld = (row: (typeof rows)[number]) =>
    repository.quarantining === 1 && row.quarantined === 1 && (row.quarantine_expires_at ?? 0) > now;
  const healthy = rows.filter(({ status }) => status === "HEALTHY").map(({ sk }) => sk);
  const added = settingsOf(repository).retryNewTests
    ? await testsNewToBase(db, repository.id, upload, healthy)
    : new Set<number>();
  return rows.map((row) => ({
    name: row.name,
    isKnownFlaky: row.status === "FLAKY" || isHeld(row),
    isNew: added.has(row.sk),
  }));
}
