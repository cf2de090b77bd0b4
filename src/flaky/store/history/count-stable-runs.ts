import type { Database } from "../../../store/sqlite/schema.ts";
import { blockOf, hoursOf } from "../packing/packed-days.ts";
import { readCounts } from "./unreadable-evidence.ts";

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
