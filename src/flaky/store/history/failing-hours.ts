import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import { hour } from "../../detection/settings.ts";
import { NumberSet } from "../packing/number-set.ts";

/**
 * Records that tests have failed in an hour, in the one row of their repository and hour. The row must not
 * change between reading and writing it; SQLite permits only one writer at a time.
 */
export async function noteFailing(
  tx: Tx,
  repositoryId: number,
  at: number,
  sks: Iterable<number>,
): Promise<void> {
  const key = { repo_id: repositoryId, hour: Math.floor(at / hour) };
  const known = await tx
    .selectFrom("test_failing_hours")
    .select("tests")
    .where("repo_id", "=", key.repo_id)
    .where("hour", "=", key.hour)
    .executeTakeFirst();
  const failing = new NumberSet();
  if (known) failing.addPacked(known.tests);
  const before = failing.countAbove(-1);
  for (const sk of sks) failing.add(sk);
  if (failing.countAbove(-1) === before) return;
  const tests = failing.packed();
  await tx
    .insertInto("test_failing_hours")
    .values({ ...key, tests })
    .onConflict((row) => row.columns(["repo_id", "hour"]).doUpdateSet({ tests }))
    .execute();
}

/**
 * Adds the tests that failed from hour `from` (inclusive) until hour `until` (exclusive), counted since the
 * epoch.
 */
export async function addFailingHours(
  db: Database,
  into: NumberSet,
  { repositoryId, from, until }: { repositoryId: number; from: number; until: number },
): Promise<void> {
  const rows = await db
    .selectFrom("test_failing_hours")
    .select("tests")
    .where("repo_id", "=", repositoryId)
    .where("hour", ">=", from)
    .where("hour", "<", until)
    .execute();
  for (const { tests } of rows) into.addPacked(tests);
}

/** Deletes up to `limit` hours before one. Returns the number deleted. */
export async function forgetFailingHours(tx: Tx, before: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom("test_failing_hours")
    .select(["repo_id", "hour"])
    .where("hour", "<", before)
    .limit(limit)
    .execute();
  for (const { repo_id, hour: one } of old)
    await tx
      .deleteFrom("test_failing_hours")
      .where("repo_id", "=", repo_id)
      .where("hour", "=", one)
      .execute();
  return old.length;
}
