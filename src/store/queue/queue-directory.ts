import { sql } from "kysely";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { Prepared } from "../queries/prepared.ts";
import { SharedQuery } from "../queries/shared-query.ts";
import type { Database, QueueTable, Tx } from "../sqlite/schema.ts";
import type { QueueRecord } from "./queue-store.ts";
import { repoColumns, repoKey } from "./repo-key.ts";

const byAddress = new SharedQuery(
  new Prepared((db, at: { repoKey: string; branch: string }) =>
    db
      .selectFrom("queues")
      .selectAll()
      .where("repo_key", "=", at.repoKey)
      .where("branch", "=", at.branch)
      // A literal, not a parameter: with a parameter, SQLite would compile the statement again each time, to
      // check whether the partial index applies.
      .where("deleted", "=", sql.lit(0)),
  ),
);

const allQueues = new SharedQuery(
  new Prepared((db, _at: object) =>
    db.selectFrom("queues").selectAll().where("deleted", "=", sql.lit(0)).orderBy("created_at").orderBy("id"),
  ),
);

/** Adds a queue. Returns false when the branch has one, or the id is taken. */
export async function addQueue(tx: Tx, queue: QueueRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("queues")
    .values({
      ...repoColumns(queue.repo),
      id: queue.id,
      branch: queue.branch,
      installation_id: queue.installationId,
      repository_id: queue.repositoryId,
      created_at: queue.createdAt,
    })
    .onConflict((taken) => taken.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== 0n;
}

export async function removeQueue(tx: Tx, queueId: string): Promise<void> {
  await tx.updateTable("queues").set({ deleted: 1 }).where("id", "=", queueId).execute();
}

export async function findQueue(
  db: Database,
  repo: RepositoryRef,
  branch: string,
): Promise<QueueRecord | null> {
  const row = await byAddress.first(db, { repoKey: repoKey(repo), branch });
  return row ? queueRecord(row) : null;
}

export async function getQueue(db: Database, queueId: string): Promise<QueueRecord | null> {
  const row = await db.selectFrom("queues").selectAll().where("id", "=", queueId).executeTakeFirst();
  return row ? queueRecord(row) : null;
}

export async function listQueues(db: Database): Promise<readonly QueueRecord[]> {
  return (await allQueues.run(db, {})).map(queueRecord);
}

export function queueRecord(row: Omit<QueueTable, "deleted">): QueueRecord {
  return {
    id: row.id,
    repo: { host: row.host, owner: row.owner, name: row.name },
    branch: row.branch,
    installationId: row.installation_id,
    repositoryId: row.repository_id,
    createdAt: row.created_at,
  };
}
