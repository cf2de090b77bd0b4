import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Writes } from "../../../store/sqlite/group-commit.ts";
import type { Tx } from "../../../store/sqlite/schema.ts";
import { forgetSuites } from "../identities/test-suites.ts";
import { forgetFailingHours } from "./failing-tests.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Deletes results older than `before`, at most `limit` rows of each kind, and then tests that were not seen
 * since. Returns the number of deleted rows; 0 when nothing is left to delete.
 */
export async function forgetEvidence(writes: Writes, before: number, limit: number): Promise<number> {
  const gone = await writes.run(async (tx) => {
    const uploads = await forgetUploads(tx, before, limit);
    const failures = await forgetFailures(tx, before, limit);
    const days = await forgetDays(tx, Math.floor(before / dayMs), limit);
    const hours = await forgetFailingHours(tx, Math.floor(before / hourMs), limit);
    return uploads + failures + days + hours;
  });
  return gone > 0 ? gone : await writes.run((tx) => forgetTests(tx, before, limit));
}

async function forgetUploads(tx: Tx, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("test_uploads")
    .where("id", "in", (uploads) =>
      uploads.selectFrom("test_uploads").select("id").where("at", "<", before).orderBy("at").limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function forgetFailures(tx: Tx, before: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom("test_failures")
    .select(["test_sk", "at", "upload_id", "attempt"])
    .where("at", "<", before)
    .orderBy("at")
    .limit(limit)
    .execute();
  for (const key of old)
    await tx
      .deleteFrom("test_failures")
      .where("test_sk", "=", key.test_sk)
      .where("at", "=", key.at)
      .where("upload_id", "=", key.upload_id)
      .where("attempt", "=", key.attempt)
      .execute();
  return old.length;
}

async function forgetDays(tx: Tx, day: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom("test_days")
    .select(["block", "day", "kind"])
    .where("day", "<", day)
    .limit(limit)
    .execute();
  for (const { block, day: one, kind } of old)
    await tx
      .deleteFrom("test_days")
      .where("block", "=", block)
      .where("day", "=", one)
      .where("kind", "=", kind)
      .execute();
  return old.length;
}

/** Deletes tests that were not seen for that long and have no setting or ticket from a person. */
async function forgetTests(tx: Tx, before: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom("test_cases")
    .select("sk")
    // The column is accurate only to the day.
    .where("last_seen_at", "<", before - dayMs)
    .where("quarantined", "=", 0)
    .where("quarantine_mode", "=", "AUTO")
    .where((test) =>
      test.or([
        test("ticket_url", "is", null),
        // An issue that we opened is not a person's ticket.
        test.exists(
          test
            .selectFrom("test_issues")
            .select("test_sk")
            .whereRef("test_sk", "=", "test_cases.sk")
            .whereRef("url", "=", "test_cases.ticket_url"),
        ),
      ]),
    )
    .orderBy("last_seen_at")
    .limit(limit)
    .execute();
  for (const chunk of inChunks(old.map(({ sk }) => sk))) {
    await tx.deleteFrom("test_failure_groups").where("test_sk", "in", chunk).execute();
    // Open issues are kept until they are closed on GitHub.
    await tx
      .deleteFrom("test_issues")
      .where("test_sk", "in", chunk)
      .where("is_open", "=", 0)
      .where("tried_at", "is", null)
      .execute();
    await tx
      .deleteFrom("test_ids")
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple("repo_id", "id"),
          "in",
          selectFrom("test_cases")
            .select(["repo_id", "id"])
            .where("sk", "in", chunk)
            .$asTuple("repo_id", "id"),
        ),
      )
      .execute();
    await tx.deleteFrom("test_renames").where("to_sk", "in", chunk).execute();
    const deleted = await tx
      .deleteFrom("test_cases")
      .where("sk", "in", chunk)
      .returning("in_suite")
      .execute();
    await forgetSuites(tx, [...new Set(deleted.flatMap(({ in_suite }) => in_suite ?? []))]);
  }
  return old.length;
}
