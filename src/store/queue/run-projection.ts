import type { RunRecord } from "../../ports/run-record.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import type { Database, Tx } from "../sqlite/schema.ts";

/** Stores the current records of runs, replacing earlier ones. */
export async function putRuns(tx: Tx, queueId: string, records: readonly RunRecord[]): Promise<void> {
  for (const record of records) {
    const { commitSha, treeSha } = record.run.commits.at(-1) ?? {};
    const row = {
      ended_at: record.endedAt,
      ...{ commit_sha: commitSha ?? null, tree_sha: treeSha ?? null },
      content: JSON.stringify(record),
    };
    await tx
      .insertInto("test_runs")
      .values({ queue_id: queueId, run_id: record.run.id, started_at: record.run.startedAt, ...row })
      .onConflict((known) => known.columns(["queue_id", "run_id"]).doUpdateSet(row))
      .execute();
  }
}

export async function findRun(db: Database, queueId: string, runId: string): Promise<RunRecord | null> {
  return (await findRuns(db, queueId, [runId]))[0] ?? null;
}

export async function findRuns(
  db: Database,
  queueId: string,
  runIds: readonly string[],
): Promise<readonly RunRecord[]> {
  if (runIds.length === 0) return [];
  const rows = await db
    .selectFrom("test_runs")
    .select(["run_id", "content"])
    .where("queue_id", "=", queueId)
    .where("run_id", "in", runIds)
    .execute();
  return rows.map((row) =>
    parseStored<RunRecord>(row.content, `the test run ${row.run_id} of queue ${queueId}`),
  );
}
