import { setImmediate as nextRound } from "node:timers/promises";
import { sql } from "kysely";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { UnreadableEvidence } from "../../unreadable-evidence.ts";
import { readResults } from "../history/damaged-evidence.ts";
import { countStableRuns } from "../history/run-counts.ts";
import { settingsOf } from "../quarantines/test-settings-store.ts";
import type { CommitReport } from "../reads/test-records.ts";
import { greenUploads } from "./stored-uploads.ts";

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
  findsNew: boolean,
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
    const failed = upload.failed === 0 ? [] : await failedTests(db, repository, upload, now, findsNew);
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
  findsNew: boolean,
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
  const added =
    findsNew && settingsOf(repository).retryNewTests
      ? await testsNewToBase(db, repository.id, upload, healthy)
      : new Set<number>();
  return rows.map((row) => ({
    name: row.name,
    isKnownFlaky: row.status === "FLAKY" || isHeld(row),
    isNew: added.has(row.sk),
  }));
}

export interface JobUpload {
  readonly id: number;
  readonly head_sha: string;
  readonly workflow: string;
  readonly job: string;
  readonly variant: string;
  readonly step: string;
}

/** The number of green queue runs to read. Concurrent runs need not contain each other's pull requests. */
const recentGreens = 5;
/** The number of results to read before other work runs. */
const atATime = 2_000;

/**
 * Returns the tests of an upload that are new to the base: no stable branch has run them within the retention
 * period, and neither have the job's last green uploads of stable branches and the queue. Returns none when
 * the job was never green there, because nothing then shows what is new. Also returns none when a green
 * upload lacks results or cannot be read.
 */
export async function testsNewToBase(
  db: Database,
  repositoryId: number,
  upload: JobUpload,
  sks: readonly number[],
): Promise<ReadonlySet<number>> {
  if (sks.length === 0) return new Set();
  try {
    const greens = await greensBefore(db, repositoryId, upload);
    if (greens.length === 0) return new Set();
    const added = new Set(sks);
    for (const sk of sks) if ((await countStableRuns(db, sk)) > 0) added.delete(sk);
    for (const green of greens) {
      if (added.size === 0) break;
      for (const some of inBatches(readResults(green), atATime)) {
        for (const { sk } of some) added.delete(sk);
        await nextRound();
      }
    }
    return added;
  } catch (error) {
    // The failure then counts, as it does where new tests are not retried. This also applies while a green
    // upload lacks results.
    if (error instanceof UnreadableEvidence) return new Set();
    throw error;
  }
}

async function greensBefore(db: Database, repositoryId: number, { id, head_sha, ...place }: JobUpload) {
  const before = (kind: "stable" | "queue", most: number) =>
    greenUploads(db, repositoryId, { ...place, kind })
      .select(["id", "results", "passed", "failed", "skipped"])
      .where("given_up", "is", null)
      .where("head_sha", "!=", head_sha)
      .where("id", "<", id)
      .limit(most)
      .execute();
  return [...(await before("stable", 1)), ...(await before("queue", recentGreens))];
}
