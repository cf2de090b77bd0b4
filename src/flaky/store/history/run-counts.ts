import { inBatches } from "../../../engine/collections/in-batches.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import type { RunCount } from "../../detection/recovery.ts";
import { addToDay, blockOf, emptyDay, type HourCount, hoursOf, packDay } from "../packing/packed-days.ts";
import type { DayRuns } from "./count-uploads.ts";
import { readCounts } from "./damaged-evidence.ts";
import { formerNumbers } from "./renames.ts";

/** The number of blocks per write statement. */
const blocksAtOnce = 64;

/** Adds runs to the counts of their hours. */
export async function addRuns(tx: Tx, days: readonly DayRuns[]): Promise<void> {
  for (const day of days) {
    const counts = await readBlocks(tx, day);
    for (const [block, runs] of day.blocks) {
      const counted = counts.get(block) ?? emptyDay();
      counts.set(block, counted);
      for (const { sk, hour, failed } of runs) addToDay(counted, sk, hour, failed);
    }
    await writeBlocks(tx, day, counts);
  }
}

/** Reads the existing blocks, in few statements, because other writers wait for this transaction. */
async function readBlocks(tx: Tx, { kind, day, blocks }: DayRuns): Promise<Map<number, Uint8Array>> {
  const found = new Map<number, Uint8Array>();
  for (const chunk of inChunks([...blocks.keys()])) {
    const rows = await tx
      .selectFrom("test_days")
      .select(["block", "counts"])
      .where("block", "in", chunk)
      .where("day", "=", day)
      .where("kind", "=", kind)
      .execute();
    for (const { block, counts } of rows) found.set(block, readCounts({ block, day, kind, counts }));
  }
  return found;
}

async function writeBlocks(
  tx: Tx,
  { kind, day }: DayRuns,
  blocks: ReadonlyMap<number, Uint8Array>,
): Promise<void> {
  // Packed per statement, so that other work can run in between.
  for (const some of inBatches(blocks, blocksAtOnce))
    await tx
      .insertInto("test_days")
      .values(some.map(([block, counts]) => ({ block, day, kind, counts: packDay(counts) })))
      .onConflict((known) =>
        known
          .columns(["block", "day", "kind"])
          .doUpdateSet(({ ref }) => ({ counts: ref("excluded.counts") })),
      )
      .execute();
}

/** How often tests ran and failed since a day, on any branch, also under retired names. */
export async function countedRuns(
  db: Database | Tx,
  sks: readonly number[],
  sinceDay: number,
): Promise<ReadonlyMap<number, RunCount>> {
  const counts = new Map<number, RunCount>();
  const former = await formerNumbers(db, sks);
  for (const sk of sks) {
    let [runs, failures] = [0, 0];
    for (const number of [sk, ...(former.get(sk) ?? [])])
      for (const hour of await hoursSince(db, number, sinceDay)) {
        runs += hour.runs;
        failures += hour.failures;
      }
    counts.set(sk, { runs, failures });
  }
  return counts;
}

async function hoursSince(db: Database | Tx, sk: number, sinceDay: number): Promise<readonly HourCount[]> {
  const rows = await db
    .selectFrom("test_days")
    .selectAll()
    .where("block", "=", blockOf(sk))
    .where("day", ">=", sinceDay)
    .execute();
  return rows.flatMap((row) => hoursOf(readCounts(row), sk));
}

/** How often a test has run on stable branches, over the whole retention period of counts. */
export async function countStableRuns(db: Database, sk: number): Promise<number> {
  const days = await db
    .selectFrom("test_days")
    .select(["block", "day", "kind", "counts"])
    .where("block", "=", blockOf(sk))
    .where("kind", "=", "stable")
    .execute();
  return days.flatMap((day) => hoursOf(readCounts(day), sk)).reduce((sum, { runs }) => sum + runs, 0);
}
