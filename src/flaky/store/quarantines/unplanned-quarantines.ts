import type { Tx } from "../../../store/sqlite/schema.ts";

/**
 * Requests planning of the quarantines of some repositories. The request is written in the same transaction
 * as its cause, because the process may be killed before it plans them.
 */
export async function haveQuarantinesPlanned(
  tx: Tx,
  repositoryIds: ReadonlySet<number>,
  at: number,
): Promise<void> {
  await tx
    .updateTable("test_repositories")
    .set({ unplanned_since: at })
    .where("id", "in", [...repositoryIds])
    .where("unplanned_since", "is", null)
    .execute();
}
