import { sql } from "kysely";
import { moveTasks } from "../leased/outbox.ts";
import type { Tx } from "../sqlite/schema.ts";
import type { Relocation } from "./queue-store.ts";
import { repoColumns } from "./repo-key.ts";

/**
 * Stores the new place of a queue's repository, and moves the stored data and the tasks of its pull requests.
 * Returns false and changes nothing when another queue has that branch.
 */
export async function relocateQueue(
  tx: Tx,
  queueId: string,
  { place, streams }: Relocation,
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
    const move = { from: before.repo_key, to: columns.repo_key };
    if (!(await isAlreadyThere(tx, queueId, columns.repo_key, repository_id))) await removeNotes(tx, move.to);
    await moveNotes(tx, move);
    await moveTasks(tx, streams, place.repo);
  }
  return true;
}

/** The tables that are keyed by the name of the repository, with the other columns of their keys. */
const notes = {
  publications: ["pr"],
  targets: ["pr", "head_sha"],
  target_names: ["pr", "head_sha"],
  heads: ["pr"],
  last_commands: ["subject"],
} as const;
const noteTables = Object.keys(notes) as (keyof typeof notes)[];

/** Whether another queue of the repository has moved before. */
async function isAlreadyThere(
  tx: Tx,
  queueId: string,
  repo_key: string,
  repository_id: number | null,
): Promise<boolean> {
  const other = await tx
    .selectFrom("queues")
    .select("id")
    .where("repo_key", "=", repo_key)
    .where("repository_id", "=", repository_id)
    .where("deleted", "=", 0)
    .where("id", "!=", queueId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Removes what belongs to another repository that had this name before. */
async function removeNotes(tx: Tx, repo_key: string): Promise<void> {
  for (const table of noteTables) await tx.deleteFrom(table).where("repo_key", "=", repo_key).execute();
}

/** A row that was stored late, under the former name, does not replace one under the current name. */
async function moveNotes(
  tx: Tx,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  for (const table of noteTables) {
    const isSame = sql.join(
      notes[table].map((column) => sql`present.${sql.ref(column)} = late.${sql.ref(column)}`),
      sql` and `,
    );
    await sql`
      delete from ${sql.table(table)} as late where late.repo_key = ${from}
      and exists (select 1 from ${sql.table(table)} as present where present.repo_key = ${to} and ${isSame})
    `.execute(tx);
    await tx.updateTable(table).set({ repo_key: to }).where("repo_key", "=", from).execute();
  }
}
