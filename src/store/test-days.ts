import { sql } from "kysely";
import type { RunCount } from "../flaky/detection/recovery.ts";
import type { StoredUpload } from "../ports/test-evaluation-store.ts";
import type { TestBranchKind } from "../ports/test-result-store.ts";
import { addToDay, blockOf, bytesPerTest, emptyDay, hoursOf, offsetOf } from "./packed-days.ts";
import type { Database, Tx } from "./schema.ts";

const hourMs = 3_600_000;

/** Adds the first attempts of uploads to the counts of their hours; skipped ones and suspect uploads are none. */
export async function countUploads(tx: Tx, uploads: readonly StoredUpload[]): Promise<void> {
  const days = new Map<string, Day>();
  for (const { at, kind, isSuspect, results } of uploads) {
    if (isSuspect) continue;
    const day = Math.floor(at / (24 * hourMs));
    const hour = Math.floor(at / hourMs) % 24;
    const key = `${kind} ${day}`;
    const { blocks } = days.get(key) ?? newDay(days, key, kind, day);
    for (const { sk, first } of results) {
      if (first === "skipped") continue;
      const number = blockOf(sk);
      let block = blocks.get(number);
      if (!block) {
        block = await readBlock(tx, kind, day, number);
        blocks.set(number, block);
      }
      addToDay(block, sk, hour, first === "failed");
    }
  }
  for (const { kind, day, blocks } of days.values())
    for (const [block, counts] of blocks)
      await tx
        .insertInto("test_days")
        .values({ block, day, kind, counts })
        .onConflict((known) => known.columns(["block", "day", "kind"]).doUpdateSet({ counts }))
        .execute();
}

interface Day {
  readonly kind: TestBranchKind;
  readonly day: number;
  readonly blocks: Map<number, Uint8Array>;
}

function newDay(days: Map<string, Day>, key: string, kind: TestBranchKind, day: number): Day {
  const made = { kind, day, blocks: new Map() };
  days.set(key, made);
  return made;
}

async function readBlock(tx: Tx, kind: TestBranchKind, day: number, block: number): Promise<Uint8Array> {
  const row = await tx
    .selectFrom("test_days")
    .select("counts")
    .where("block", "=", block)
    .where("day", "=", day)
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row?.counts ?? emptyDay();
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
      .select(sql<Uint8Array>`substr(counts, ${offsetOf(sk) + 1}, ${bytesPerTest})`.as("counts"))
      .where("block", "=", blockOf(sk))
      .where("day", ">=", sinceDay)
      .execute();
    let [runs, failures] = [0, 0];
    for (const hour of rows.flatMap((row) => hoursOf(row.counts))) {
      runs += hour.runs;
      failures += hour.failures;
    }
    counts.set(sk, { runs, failures });
  }
  return counts;
}
