import type { RunRecord } from "../../ports/run-record.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import type { Database, Tx } from "../sqlite/schema.ts";

/** Stores the current records of runs, replacing earlier ones. */
export async function putRuns(tx: Tx, queueId: string, records: readonly RunRecord[]): Promise<void> {
  for (const record of records) {
    const row = { ended_at: record.endedAt, content: JSON.stringify(record) };
    await tx
      .insertInto("test_runs")
      .values({ queue_id: queueId, run_id: record.run.id, started_at: record.run.startedAt, ...row })
      .onConflict((known) => known.columns(["queue_id", "run_id"]).doUpdateSet(row))
      .execute();
  }
}

export async function findRun(db: Database, queueId: string, runId: string): Promise<RunRecord | null> {
  const row = await db
    .selectFrom("test_runs")
    .select("content")
    .where("queue_id", "=", queueId)
    .where("run_id", "=", runId)
    .executeTakeFirst();
  return row ? parseStored<RunRecord>(row.content, `the test run ${runId} of queue ${queueId}`) : null;
}
