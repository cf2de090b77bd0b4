import type { Database } from "../../../store/sqlite/schema.ts";
import { readResults } from "../history/damaged-evidence.ts";
import type { NumberedResult } from "../packing/packed-results.ts";
import type { TestUploadTable } from "../test-schema.ts";
import type { TestBranchKind, TestPlace, TestUploadFacts } from "./upload-records.ts";

export interface StoredUpload {
  readonly id: number;
  readonly repositoryId: number;
  readonly at: number;
  readonly headSha: string;
  readonly treeSha: string;
  readonly branch: string;
  /** The stable branch whose line the upload belongs to; "" when unknown. */
  readonly line: string;
  readonly kind: TestBranchKind;
  readonly workflow: string;
  readonly pr: number | null;
  readonly job: string;
  readonly variant: string;
  readonly step: string;
  readonly runId: string;
  readonly runAttempt: number;
  readonly isSuspect: boolean;
  /** By ascending number. Each iteration unpacks them again. @throws UnreadableEvidence */
  readonly results: Iterable<NumberedResult>;
}

/** The columns that the evaluation of an upload needs. */
export const uploadColumns = [
  ...(["id", "repo_id", "at", "head_sha", "tree_sha", "branch", "line", "kind", "pr"] as const),
  ...(["workflow", "job", "variant", "step", "run_id", "run_attempt"] as const),
  ...(["is_suspect", "results", "passed", "failed", "skipped"] as const),
] as const;

export function toUpload(
  row: Pick<TestUploadTable, Exclude<(typeof uploadColumns)[number], "id" | "line" | "step">> & {
    id: number;
    line: string;
    step: string;
  },
): StoredUpload {
  const { id, results, passed, failed, skipped } = row;
  return {
    id,
    repositoryId: row.repo_id,
    at: row.at,
    headSha: row.head_sha,
    treeSha: row.tree_sha,
    branch: row.branch,
    line: row.line,
    kind: row.kind,
    pr: row.pr,
    workflow: row.workflow,
    job: row.job,
    variant: row.variant,
    step: row.step,
    runId: row.run_id,
    runAttempt: row.run_attempt,
    isSuspect: row.is_suspect === 1,
    results: { [Symbol.iterator]: () => readResults({ id, results, passed, failed, skipped }) },
  };
}

type GreenUploads = TestPlace & Pick<TestUploadFacts, "kind"> & Partial<Pick<TestUploadFacts, "line">>;

/** The green uploads of a job's step, of one kind, newest first; of all lines if `line` is absent. */
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
