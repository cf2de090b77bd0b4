import { sql } from "kysely";
import { addSteps } from "../../../store/leased/meter-store.ts";
import { parseStored } from "../../../store/queries/corrupt-row.ts";
import type { Tx } from "../../../store/sqlite/schema.ts";
import type { TestHistory } from "../../detection/history.ts";
import { newLineHistory } from "../../detection/line-history.ts";
import { type DamagedEvidence, evidenceGivenUpStep, UnreadableEvidence } from "../../unreadable-evidence.ts";
import { testsPerBlock, unpackDay } from "../packing/packed-days.ts";
import { type NumberedResult, unpackResults } from "../packing/packed-results.ts";
import { haveQuarantinesPlanned } from "../quarantines/quarantine-inputs.ts";
import type { TestDayTable, TestUploadTable } from "../test-schema.ts";
import type { TestBranchKind } from "../uploads/upload-records.ts";

type StoredResults = Pick<TestUploadTable, "results" | "passed" | "failed" | "skipped"> & {
  readonly id: number;
};

/** @throws UnreadableEvidence when the bytes do not contain results, or their counts differ from the stored ones. */
export function* readResults({ id, results, ...stored }: StoredResults): Generator<NumberedResult> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    // SQLite does not enforce column types.
    if (!(results instanceof Uint8Array)) throw new Error("its results are no bytes");
    for (const result of unpackResults(results)) {
      counts[result.last] += 1;
      yield result;
    }
    if (Object.entries(counts).some(([last, count]) => stored[last as keyof typeof counts] !== count))
      throw new Error("its results are not as many as it counts");
  } catch (error) {
    throw new UnreadableEvidence({ kind: "upload", id }, error);
  }
}

/** Older shapes have been migrated, so any other shape is damage. @throws UnreadableEvidence */
export function readHistory(text: string, sk: number): TestHistory {
  try {
    const stored = parseStored<TestHistory>(text, `the history of test ${sk}`);
    if (!isHistory(stored)) throw new Error("it is none");
    return stored;
  } catch (error) {
    throw new UnreadableEvidence({ kind: "history", sk }, error);
  }
}

function isHistory({ changes, lines }: Partial<TestHistory>): boolean {
  if (!Array.isArray(changes) || !changes[0] || typeof lines !== "object" || lines === null) return false;
  const keys = Object.keys(newLineHistory(0));
  return Object.values(lines).every(
    (line) => keys.every((key) => key in line) && Array.isArray(line.episodes),
  );
}

/** The counts of a block on a day. @throws UnreadableEvidence when they cannot be decoded */
export function readCounts({ block, day, kind, counts }: TestDayTable): Uint8Array {
  const read = unpackDay(counts);
  if (read) return read;
  const problem = new Error("its bytes are no counts");
  throw new UnreadableEvidence({ kind: "counts", block, day, branch: kind }, problem);
}

/**
 * Marks unreadable evidence as given up, and counts it for its organisation. Returns false when there is
 * nothing to mark.
 */
export async function giveUp(tx: Tx, evidence: DamagedEvidence, at: number): Promise<boolean> {
  const owner = await dropped(tx, evidence, at);
  if (owner === null) return false;
  await addSteps(tx, [evidenceGivenUpStep(owner, evidence.kind)]);
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

/** A block may contain tests of several repositories. The loss is counted for the owner of the first test. */
async function dropCounts(
  tx: Tx,
  { block, day, branch }: Extract<DamagedEvidence, { kind: "counts" }>,
): Promise<string | null> {
  const row = await tx
    .selectFrom("test_days")
    .select("counts")
    .where("block", "=", block)
    .where("day", "=", day)
    .where("kind", "=", branch as TestBranchKind)
    .executeTakeFirst();
  if (!row || unpackDay(row.counts)) return null;
  await tx
    .deleteFrom("test_days")
    .where("block", "=", block)
    .where("day", "=", day)
    .where("kind", "=", branch as TestBranchKind)
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
