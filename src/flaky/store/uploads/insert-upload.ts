import type { Tx } from "../../../store/sqlite/schema.ts";
import { noteFailing } from "../history/failing-tests.ts";
import type { NewTestUpload, TestNumbers, TestResult } from "./upload-records.ts";

/** The number of tests by outcome. */
export interface OutcomeCounts {
  passed: number;
  failed: number;
  skipped: number;
  failed_at_first: number;
}

/** What is counted while the results of an upload are packed. */
export interface ResultTotals {
  readonly outcomes: OutcomeCounts;
  durationMs: number;
}

export function noResults(): ResultTotals {
  return { outcomes: { passed: 0, failed: 0, skipped: 0, failed_at_first: 0 }, durationMs: 0 };
}

export function countResult(
  totals: ResultTotals,
  { first, last, durationMs }: Pick<TestResult, "first" | "last" | "durationMs">,
): void {
  totals.outcomes[last] += 1;
  if (first === "failed") totals.outcomes.failed_at_first += 1;
  totals.durationMs += durationMs;
}

/** Null: the reports do not tell how long tests took. */
export function timeOfTests({ durationMs }: ResultTotals): number | null {
  return durationMs > 0 ? Math.max(1, Math.round(durationMs)) : null;
}

type PackedOutcomes = Readonly<OutcomeCounts> & { readonly results: Uint8Array };

/** Returns the id of the new row; null when the upload is already stored. */
export async function insertUpload(
  tx: Tx,
  repositoryId: number,
  upload: NewTestUpload,
  outcomes: PackedOutcomes,
): Promise<number | null> {
  const inserted = await tx
    .insertInto("test_uploads")
    .values({
      repo_id: repositoryId,
      digest: upload.digest,
      at: upload.at,
      head_sha: upload.headSha,
      tree_sha: upload.treeSha,
      branch: upload.branch,
      line: upload.line,
      kind: upload.kind,
      pr: upload.pr,
      run_id: upload.runId,
      run_attempt: upload.runAttempt,
      workflow: upload.workflow,
      job: upload.job,
      variant: upload.variant,
      step: upload.step,
      cases: upload.cases,
      ...outcomes,
      is_green: upload.isGreen ? 1 : 0,
      is_suspect: upload.isSuspect ? 1 : 0,
      verdict: upload.verdict,
    })
    .onConflict((known) => known.columns(["repo_id", "digest"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted?.id ?? null;
}

/** Replaces the verdict of a stored upload, and returns its id. */
export async function judgeAgain(
  tx: Tx,
  repositoryId: number,
  { digest, verdict }: NewTestUpload,
): Promise<number> {
  const stored = await tx
    .selectFrom("test_uploads")
    .select(["id", "verdict"])
    .where("repo_id", "=", repositoryId)
    .where("digest", "=", digest)
    .executeTakeFirstOrThrow();
  // An update would write the results again, too.
  if (stored.verdict !== verdict)
    await tx.updateTable("test_uploads").set({ verdict }).where("id", "=", stored.id).execute();
  return stored.id;
}

interface RecordedUpload {
  readonly repositoryId: number;
  readonly id: number;
  readonly upload: NewTestUpload;
  readonly numbers: TestNumbers;
  /** Null: not known, or not yet. */
  readonly testsMs: number | null;
}

/** The number of rows per statement. */
const rowsAtOnce = 100;

/** Stores the failed attempts of an upload, and their failure groups. */
export async function recordFailures(
  tx: Tx,
  { repositoryId, id, upload, numbers, testsMs }: RecordedUpload,
): Promise<void> {
  const { at, kind, pr, isSuspect } = upload;
  const failures = upload.failures.map((failure) => {
    const sk = numbers.get(failure.id);
    if (sk === undefined) throw new Error(`a failure of test ${failure.id} came without the test's result`);
    return { ...failure, sk };
  });
  for (let from = 0; from < failures.length; from += rowsAtOnce) {
    const some = failures.slice(from, from + rowsAtOnce);
    await tx
      .insertInto("test_failures")
      .values(
        some.map(({ sk, attempt, isFinal, isQuarantined, fingerprint, durationMs }) => ({
          test_sk: sk,
          at,
          upload_id: id,
          attempt,
          repo_id: repositoryId,
          ...{ kind, pr },
          is_final: isFinal ? 1 : 0,
          quarantined: isQuarantined ? 1 : 0,
          is_suspect: isSuspect ? 1 : 0,
          fingerprint: fingerprint.id,
          duration_ms: durationMs === null ? null : Math.round(durationMs),
          tests_ms: testsMs,
        })),
      )
      .execute();
    // One statement can change a row only once.
    const groups = new Map(some.map((one) => [`${one.sk} ${one.fingerprint.id}`, one]));
    await tx
      .insertInto("test_failure_groups")
      .values(
        [...groups.values()].map(({ sk, fingerprint: { id: fingerprint, version, summary } }) => ({
          test_sk: sk,
          ...{ fingerprint, version, summary },
          first_at: at,
          last_at: at,
        })),
      )
      .onConflict((known) => known.columns(["test_sk", "fingerprint"]).doUpdateSet({ last_at: at }))
      .execute();
  }
  if (!isSuspect && failures.length > 0)
    await noteFailing(
      tx,
      repositoryId,
      at,
      failures.map(({ sk }) => sk),
    );
}
