import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Relocation } from "../../ports/queue-store.ts";
import { moveTasks } from "../leased/outbox.ts";
import type { Tx } from "../sqlite/schema.ts";
import { repoColumns, repoKey } from "./repo-key.ts";

/**
 * Stores the new place of a queue's repository, and moves the stored data and the tasks of its pull requests.
 * Returns false and changes nothing when another queue has that branch.
 */
export async function relocateQueue(
  tx: Tx,
  queueId: string,
  { place, streams, subjects }: Relocation,
): Promise<boolean> {
  const before = await tx
    .selectFrom("queues")
    .selectAll()
    .where("id", "=", queueId)
    .executeTakeFirstOrThrow();
  const columns = repoColumns(place.repo);
  const taken = await tx
    .selectFrom("queues")
    .select("id")
    .where("repo_key", "=", columns.repo_key)
    .where("branch", "=", place.branch)
    .where("deleted", "=", 0)
    .where("id", "!=", queueId)
    .executeTakeFirst();
  if (taken) return false;
  const { branch, installationId: installation_id, repositoryId: repository_id } = place;
  await tx
    .updateTable("queues")
    .set({ ...columns, branch, installation_id, repository_id })
    .where("id", "=", queueId)
    .execute();
  if (before.repo_key !== columns.repo_key) {
    await moveNotes(tx, before.repo_key, place.repo);
    await moveTasks(tx, streams, place.repo);
  }
  if (subjects.from !== subjects.to) await moveCommands(tx, columns.repo_key, subjects);
  return true;
}

async function moveCommands(tx: Tx, repo_key: string, { from, to }: Relocation["subjects"]): Promise<void> {
  await tx.deleteFrom("last_commands").where("repo_key", "=", repo_key).where("subject", "=", to).execute();
  await tx
    .updateTable("last_commands")
    .set({ subject: to })
    .where("repo_key", "=", repo_key)
    .where("subject", "=", from)
    .execute();
}

/** Data that is stored under the new name belonged to another repository and is deleted. */
async function moveNotes(tx: Tx, from: string, repo: RepositoryRef): Promise<void> {
  const repo_key = repoKey(repo);
  for (const table of ["publications", "targets", "target_names", "heads", "last_commands"] as const) {
    const isAnyLeft = await tx
      .selectFrom(table)
      .select("repo_key")
      .where("repo_key", "=", from)
      .limit(1)
      .executeTakeFirst();
    // A second queue of the repository finds the data already moved.
    if (!isAnyLeft) continue;
    await tx.deleteFrom(table).where("repo_key", "=", repo_key).execute();
    await tx.updateTable(table).set({ repo_key }).where("repo_key", "=", from).execute();
  }
}
