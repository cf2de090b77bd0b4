import type { StoredUpload } from "../ports/test-evaluation-store.ts";
import { type CountStep, countSteps } from "./count-steps.ts";
import type { Writes } from "./group-commit.ts";
import type { Tx } from "./schema.ts";
import { addRuns } from "./test-days.ts";

/** How the runs of uploads are counted in the transaction in which they become evaluated, and after it. */
export interface Counting {
  readonly begin: (tx: Tx) => Promise<void>;
  /** What `begin` has left. */
  readonly end: () => Promise<void>;
}

/**
 * The first attempts of uploads, for the counts of their hours. What is more than one step is counted after the uploads were evaluated,
 * each step with the test that the next one begins with: so every run is counted once, whoever dies or counts meanwhile. Until then
 * the counts lack some runs, as they do while an upload waits to be evaluated.
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

/** Counts uploads that all are counted up to the same test, until somebody else does. */
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

/** The test that the next step begins with; null = there is none, or somebody else does it. */
async function countStep(
  writes: Writes,
  ids: readonly number[],
  from: number,
  step: CountStep,
): Promise<number | null> {
  return (await writes.run((tx) => count(tx, ids, from, step))) ? step.next : null;
}

/** False when one of the uploads is not there any more, or is counted up to another test. */
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
