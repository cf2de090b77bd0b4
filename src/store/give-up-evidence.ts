import type { MeterStep } from "../ports/meter-store.ts";
import type { DamagedEvidence } from "../ports/test-evaluation-store.ts";
import { addSteps } from "./meter-store.ts";
import type { Tx } from "./schema.ts";
import { nothingKnown } from "./test-cases.ts";
import { readHistory } from "./unreadable-evidence.ts";

/** Marks as no evidence what cannot be read, and counts it for its organisation. False when there is nothing to mark. */
export async function giveUp(
  tx: Tx,
  evidence: DamagedEvidence,
  at: number,
  steps: (organisation: string) => readonly MeterStep[],
): Promise<boolean> {
  const isMarked =
    evidence.kind === "upload"
      ? await parkUpload(tx, evidence.id, at)
      : await dropHistory(tx, evidence.sk, at);
  if (!isMarked) return false;
  const [table, column, id] =
    evidence.kind === "upload"
      ? (["test_uploads", "test_uploads.id", evidence.id] as const)
      : (["test_cases", "test_cases.sk", evidence.sk] as const);
  const { owner } = await tx
    .selectFrom(table)
    .innerJoin("test_repositories", "test_repositories.id", "repo_id")
    .select("owner")
    .where(column, "=", id)
    .executeTakeFirstOrThrow();
  await addSteps(tx, steps(owner));
  return true;
}

async function parkUpload(tx: Tx, id: number, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("test_uploads")
    .set((upload) => ({
      given_up: "RESULTS_UNREADABLE",
      evaluated_at: upload.fn.coalesce("evaluated_at", upload.val(at)),
    }))
    .where("id", "=", id)
    .where("given_up", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Its status with it, which nothing could change any more. */
async function dropHistory(tx: Tx, sk: number, at: number): Promise<boolean> {
  const row = await tx.selectFrom("test_cases").select("history").where("sk", "=", sk).executeTakeFirst();
  if (!row || row.history === null || isReadable(row.history, sk)) return false;
  await tx
    .updateTable("test_cases")
    .set({ history: null, status: "HEALTHY", status_reason: nothingKnown, status_at: at, proven_at: null })
    .where("sk", "=", sk)
    .execute();
  return true;
}

function isReadable(history: string, sk: number): boolean {
  try {
    readHistory(history, sk);
    return true;
  } catch {
    return false;
  }
}
