import type { Database } from "../../../store/sqlite/schema.ts";
import type { TestPlace, TestUploadFacts } from "./test-result-rows.ts";

type GreenUploads = TestPlace & Pick<TestUploadFacts, "kind"> & Partial<Pick<TestUploadFacts, "line">>;

/** The green uploads of a job's step, of one kind, newest first. Without `line`, those of all lines. */
export function greenUploads(
  db: Database,
  repositoryId: number,
  { workflow, job, variant, step, kind, line }: GreenUploads,
) {
  const uploads = db
    .selectFrom("test_uploads")
    .where("repo_id", "=", repositoryId)
    .where("job", "=", job)
    .where("variant", "=", variant)
    .where("workflow", "=", workflow)
    .where("step", "=", step)
    .where("kind", "=", kind)
    .where((upload) => upload("is_green", "=", upload.lit(1)))
    .orderBy("id", "desc");
  return line === undefined ? uploads : uploads.where("line", "=", line);
}
