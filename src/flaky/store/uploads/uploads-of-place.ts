import type { Database } from "../../../store/sqlite/schema.ts";
import type { StoredUpload } from "../history/test-evaluation-rows.ts";

/** The uploads of one tree from the same workflow, job, variant and step as another upload. */
export function uploadsOfPlace(
  db: Database,
  { repositoryId, treeSha, workflow, job, variant, step }: StoredUpload,
) {
  return db
    .selectFrom("test_uploads")
    .where("repo_id", "=", repositoryId)
    .where("tree_sha", "=", treeSha)
    .where("job", "=", job)
    .where("variant", "=", variant)
    .where("workflow", "=", workflow)
    .where("step", "=", step);
}
