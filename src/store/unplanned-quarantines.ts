import type { Tx } from "./schema.ts";

/**
 * Has the quarantines of some repositories decided about. Written with what they follow from: whoever writes that may be killed
 * before it comes to them.
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
