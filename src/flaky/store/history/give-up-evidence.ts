import { sql } from "kysely";
import { addSteps, type MeterStep } from "../../../store/leased/meter-store.ts";
import type { Tx } from "../../../store/sqlite/schema.ts";
import { testsPerBlock } from "../packing/packed-days.ts";
import { unpackDay } from "../packing/stored-days.ts";
import { haveQuarantinesPlanned } from "../quarantines/unplanned-quarantines.ts";
import type { DamagedEvidence } from "./test-evaluation-rows.ts";
import { readHistory } from "./unreadable-evidence.ts";

/**
 * Marks unreadable evidence as given up, and counts it for its organisation. Returns false when there is
 * nothing to mark.
 */
export async function giveUp(
  tx: Tx,
  evidence: DamagedEvidence,
  at: number,
  steps: (organisation: string) => readonly MeterStep[],
): Promise<boolean> {
  const owner = await dropped(tx, evidence, at);
  if (owner === null) return false;
  await addSteps(tx, steps(owner));
  return true;
}

/** Returns the owner of the evidence; null when nothing was marked. */
async function dropped(tx: Tx, evidence: DamagedEvidence, at: number): Promise<string | null> {
  switch (evidence.kind) {
    case "upload":
      return (await parkUpload(tx, evidence.id, at))
        ? await ownerOf(tx, "test_uploads", "id", evidence.id)
        : null;
    case "history":
      return (await dropHistory(tx, evidence.sk, at))
        ? await ownerOf(tx, "test_cases", "sk", evidence.sk)
        : null;
    case "counts":
      return await dropCounts(tx, evidence);
  }
}

async function ownerOf(
  tx: Tx,
  table: "test_uploads" | "test_cases",
  column: "id" | "sk",
  number: number,
): Promise<string> {
  const { owner } = await tx
    .selectFrom(table)
    .innerJoin("test_repositories", "test_repositories.id", "repo_id")
    .select("owner")
    .where(sql.ref(`${table}.${column}`), "=", number)
    .executeTakeFirstOrThrow();
  return owner;
}

async function parkUpload(tx: Tx, id: number, at: number): Promise<boolean> {
  await tx.deleteFrom("test_uncounted_uploads").where("upload_id", "=", id).execute();
  await tx.deleteFrom("test_late_reports").where("upload_id", "=", id).execute();
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

/** Also clears the test's status, which nothing could change any more. */
async function dropHistory(tx: Tx, sk: number, at: number): Promise<boolean> {
  const row = await tx
    .selectFrom("test_cases")
    .select(["repo_id", "history"])
    .where("sk", "=", sk)
    .executeTakeFirst();
  if (!row || row.history === null || isReadable(row.history, sk)) return false;
  await tx
    .updateTable("test_cases")
    .set({ history: null, status: "HEALTHY", status_reason: null, status_at: at, proven_at: null })
    .where("sk", "=", sk)
    .execute();
  await haveQuarantinesPlanned(tx, new Set([row.repo_id]), at);
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

/** A block may contain tests of several repositories. It is counted for the owner of the first test. */
async function dropCounts(
  tx: Tx,
  { block, day, branch }: Extract<DamagedEvidence, { kind: "counts" }>,
): Promise<string | null> {
  const row = await tx
    .selectFrom("test_days")
    .select("counts")
    .where("block", "=", block)
    .where("day", "=", day)
    .where("kind", "=", branch)
    .executeTakeFirst();
  if (!row || unpackDay(row.counts)) return null;
  await tx
    .deleteFrom("test_days")
    .where("block", "=", block)
    .where("day", "=", day)
    .where("kind", "=", branch)
    .execute();
  const first = await tx
    .selectFrom("test_cases")
    .select("sk")
    .where("sk", ">=", block * testsPerBlock)
    .orderBy("sk")
    .limit(1)
    .executeTakeFirstOrThrow();
  return await ownerOf(tx, "test_cases", "sk", first.sk);
}
