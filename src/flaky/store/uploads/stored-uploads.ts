import type { StoredUpload } from "../history/test-evaluation-rows.ts";
import { readResults } from "../history/unreadable-evidence.ts";
import type { TestUploadTable } from "../test-schema.ts";

/** The columns that the evaluation of an upload needs. */
export const uploadColumns = [
  ...(["id", "repo_id", "at", "tree_sha", "branch", "line", "kind", "pr"] as const),
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
