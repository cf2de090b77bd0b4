import type { Tx } from "../../../store/sqlite/schema.ts";
import type { NewTestUpload, TestNumbers } from "../uploads/test-result-rows.ts";
import { noteFailing } from "./failing-hours.ts";

interface RecordedUpload {
  readonly repositoryId: number;
  readonly id: number;
  readonly upload: NewTestUpload;
  readonly numbers: TestNumbers;
}

/** The number of rows per statement. */
const rowsAtOnce = 100;

/** Stores the failed attempts of an upload, and their failure groups. */
export async function recordFailures(
  tx: Tx,
  { repositoryId, id, upload, numbers }: RecordedUpload,
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
