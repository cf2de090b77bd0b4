import { sql } from "kysely";
import type { RunCount } from "../flaky/detection/recovery.ts";
import type { StoredUpload } from "../ports/test-evaluation-store.ts";
import type { TestBranchKind } from "../ports/test-result-store.ts";
import { inChunks } from "./in-chunks.ts";
import { addToDay, blockOf, bytesPerTest, dayBytes, emptyDay, hoursOf, offsetOf } from "./packed-days.ts";
import type { Database, Tx } from "./schema.ts";
import { readCounts } from "./unreadable-evidence.ts";

const hourMs = 3_600_000;

/** Blocks that are written by one statement. */
const blocksAtOnce = 64;

/** Adds the first attempts of uploads to the counts of their hours; skipped ones and suspect uploads are none. */
export async function countUploads(tx: Tx, uploads: readonly StoredUpload[]): Promise<void> {
  const days = new Map<string, Day>();
  for (const { at, kind, isSuspect, results } of uploads) {
    if (isSuspect) continue;
    const day = Math.floor(at / (24 * hourMs));
    const hour = Math.floor(at / hourMs) % 24;
    const key = `${kind} ${day}`;
    const known = days.get(key) ?? { kind, day, blocks: new Map() };
    days.set(key, known);
    await readBlocks(tx, known, results);
    for (const { sk, first } of results) {
      const block = known.blocks.get(blockOf(sk));
      if (block && first !== "skipped") addToDay(block, sk, hour, first === "failed");
    }
  }
  for (const day of days.values()) await writeBlocks(tx, day);
}

interface Day {
  readonly kind: TestBranchKind;
  readonly day: number;
  readonly blocks: Map<number, Uint8Array>;
}

/** Those in which tests have run. In few statements: a large upload has five thousand, and all others wait for its transaction. */
async function readBlocks(
  tx: Tx,
  { kind, day, blocks }: Day,
  results: StoredUpload["results"],
): Promise<void> {
  const missing = new Set<number>();
  for (const { sk, first } of results)
    if (first !== "skipped" && !blocks.has(blockOf(sk))) missing.add(blockOf(sk));
  for (const chunk of inChunks([...missing])) {
    const rows = await tx
      .selectFrom("test_days")
      .select(["block", "counts"])
      .where("block", "in", chunk)
      .where("day", "=", day)
      .where("kind", "=", kind)
      .execute();
    for (const { block, counts } of rows)
      blocks.set(block, readCounts(counts, dayBytes, { block, day, kind }));
  }
  for (const block of missing) if (!blocks.has(block)) blocks.set(block, emptyDay());
}

async function writeBlocks(tx: Tx, { kind, day, blocks }: Day): Promise<void> {
  const rows = [...blocks].map(([block, counts]) => ({ block, day, kind, counts }));
  for (let from = 0; from < rows.length; from += blocksAtOnce)
    await tx
      .insertInto("test_days")
      .values(rows.slice(from, from + blocksAtOnce))
      .onConflict((known) =>
        known
          .columns(["block", "day", "kind"])
          .doUpdateSet(({ ref }) => ({ counts: ref("excluded.counts") })),
      )
      .execute();
}

/** How often tests ran and failed since a day, on any branch. */
export async function countedRuns(
  db: Database | Tx,
  sks: readonly number[],
  sinceDay: number,
): Promise<ReadonlyMap<number, RunCount>> {
  const counts = new Map<number, RunCount>();
  for (const sk of sks) {
    const rows = await db
      .selectFrom("test_days")
      .select(["block", "day", "kind"])
      .select(sql<Uint8Array>`substr(counts, ${offsetOf(sk) + 1}, ${bytesPerTest})`.as("counts"))
      .where("block", "=", blockOf(sk))
      .where("day", ">=", sinceDay)
      .execute();
    let [runs, failures] = [0, 0];
    for (const hour of rows.flatMap((row) => hoursOf(readCounts(row.counts, bytesPerTest, row)))) {
      runs += hour.runs;
      failures += hour.failures;
    }
    counts.set(sk, { runs, failures });
  }
  return counts;
}
