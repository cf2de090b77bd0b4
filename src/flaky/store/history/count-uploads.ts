import type { Writes } from "../../../store/sqlite/group-commit.ts";
import type { Tx } from "../../../store/sqlite/schema.ts";
import { type CountStep, countSteps } from "./count-steps.ts";
import { addRuns } from "./test-days.ts";
import type { StoredUpload } from "./test-evaluation-rows.ts";

/** Counts uploads. Counting begins in the transaction that evaluates them, and continues after it. */
export interface Counting {
  readonly begin: (tx: Tx) => Promise<void>;
  /** Counts what `begin` has left. */
  readonly end: () => Promise<void>;
}

/**
 * Adds the first attempts of uploads to the counts of their hours. Uploads that need more than one step are
 * counted further after they were evaluated. Each step also stores the test at which the next one begins, so
 * that every run is counted exactly once, even if the process dies or two processes count. Until the last
 * step, the counts lack some runs, as they do before an upload is evaluated.
 */
export async function countingOf(writes: Writes, uploads: readonly StoredUpload[]): Promise<Counting> {
  const ids = uploads.map(({ id }) => id);
  const steps = countSteps(uploads, 0);
  const { value: first } = await steps.next();
  if (!first) throw new Error("there is always a step, if only of nothing");
  if (first.next === null) return { begin: (tx) => addRuns(tx, first.days), end: async () => {} };
  return {
    begin: async (tx) => {
      const values = ids.map((upload_id) => ({ upload_id, next_sk: 0 }));
      await tx.insertInto("test_uncounted_uploads").values(values).execute();
    },
    end: async () => {
      const next = await countStep(writes, ids, 0, first);
      if (next !== null) await countOn(writes, ids, next, steps);
    },
  };
}

/**
 * Continues counting uploads that have all been counted up to the same test. Stops when another process has
 * counted them further.
 */
export async function countFrom(
  writes: Writes,
  uploads: readonly StoredUpload[],
  from: number,
): Promise<void> {
  const ids = uploads.map(({ id }) => id);
  await countOn(writes, ids, from, countSteps(uploads, from));
}

async function countOn(
  writes: Writes,
  ids: readonly number[],
  from: number,
  steps: AsyncIterable<CountStep>,
): Promise<void> {
  let at: number | null = from;
  for await (const step of steps) {
    at = await countStep(writes, ids, at, step);
    if (at === null) return;
  }
}

/**
 * Returns the test at which the next step begins; null after the last one, or when another process has taken
 * over.
 */
async function countStep(
  writes: Writes,
  ids: readonly number[],
  from: number,
  step: CountStep,
): Promise<number | null> {
  return (await writes.run((tx) => count(tx, ids, from, step))) ? step.next : null;
}

/** Returns false when one of the uploads was removed, or another process has counted it further. */
async function count(tx: Tx, ids: readonly number[], from: number, step: CountStep): Promise<boolean> {
  const open = await tx
    .selectFrom("test_uncounted_uploads")
    .select("upload_id")
    .where("upload_id", "in", ids)
    .where("next_sk", "=", from)
    .execute();
  if (open.length < ids.length) return false;
  if (step.next === null)
    await tx.deleteFrom("test_uncounted_uploads").where("upload_id", "in", ids).execute();
  else
    await tx
      .updateTable("test_uncounted_uploads")
      .set({ next_sk: step.next })
      .where("upload_id", "in", ids)
      .execute();
  await addRuns(tx, step.days);
  return true;
}
