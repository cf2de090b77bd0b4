import type { Tx } from "../../../store/sqlite/schema.ts";
import type { NewTestUpload } from "./test-result-rows.ts";

/** The number of tests by outcome. */
export interface OutcomeCounts {
  passed: number;
  failed: number;
  skipped: number;
  failed_at_first: number;
}

export function noOutcomes(): OutcomeCounts {
  return { passed: 0, failed: 0, skipped: 0, failed_at_first: 0 };
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

/** The id of a stored upload. */
export async function idOf(tx: Tx, repositoryId: number, digest: string): Promise<number> {
  const { id } = await tx
    .selectFrom("test_uploads")
    .select("id")
    .where("repo_id", "=", repositoryId)
    .where("digest", "=", digest)
    .executeTakeFirstOrThrow();
  return id;
}
