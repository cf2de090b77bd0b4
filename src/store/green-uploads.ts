import type { TestPlace, TestUploadFacts } from "../ports/test-result-store.ts";
import type { Database } from "./schema.ts";

/** The green uploads of a job's step, of one kind, newest first. */
export function greenUploads(
  db: Database,
  repositoryId: number,
  { workflow, job, variant, step, kind }: TestPlace & Pick<TestUploadFacts, "kind">,
) {
  return db
    .selectFrom("test_uploads")
    .where("repo_id", "=", repositoryId)
    .where("job", "=", job)
    .where("variant", "=", variant)
    .where("workflow", "=", workflow)
    .where("step", "=", step)
    .where("kind", "=", kind)
    .where((upload) => upload("is_green", "=", upload.lit(1)))
    .orderBy("id", "desc");
}
