import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import type { SharedPlace } from "../history/test-evaluation-rows.ts";

export function readSharedPlaces(db: Database, repositoryId: number): Promise<readonly SharedPlace[]> {
  return db
    .selectFrom("test_shared_places")
    .select(["repo_id as repositoryId", "job", "variant", "step", "uploads"])
    .where("repo_id", "=", repositoryId)
    .execute();
}

export async function keepSharedPlaces(tx: Tx, places: readonly SharedPlace[]): Promise<void> {
  for (const { repositoryId, uploads, ...place } of places)
    await tx
      .insertInto("test_shared_places")
      .values({ repo_id: repositoryId, ...place, uploads })
      .onConflict((known) => known.columns(["repo_id", "job", "variant", "step"]).doUpdateSet({ uploads }))
      .execute();
}
