import { sql } from "kysely";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { costWindow } from "../../failure/test-cost.ts";

/** What was tested: pull requests by number, and commits that contain some of them. */
export interface TestedThings {
  readonly prs: readonly number[];
  readonly shas: readonly string[];
}

/** A test that failed before, by number. */
export interface FailedBefore {
  readonly sk: number;
  /** The number of uploads in which an attempt of the test failed. */
  readonly runs: number;
  readonly lastAt: number;
}

/** The maximum number of uploads that are read. The newest ones are read. */
const mostUploads = 200;

/**
 * The tests that failed in reports on pull requests or commits within 14 days, the last that failed first. Includes forgiven failures, and
 * tests that passed when they were re-run. Excludes reports in which too many tests failed.
 */
export async function failedBefore(
  db: Database,
  repoId: number,
  { prs, shas }: TestedThings,
  now: number,
): Promise<readonly FailedBefore[]> {
  const uploads = await db
    .selectFrom("test_uploads")
    .select(["id", "at"])
    .where("repo_id", "=", repoId)
    // Also a condition of the index of uploads with failures.
    .where("failed_at_first", ">", sql.lit(0))
    .where("is_suspect", "=", sql.lit(0))
    .where("at", ">", now - costWindow)
    .where(({ eb, and, or }) =>
      or([
        ...(prs.length === 0 ? [] : [and([eb("kind", "=", "pr"), eb("pr", "in", prs)])]),
        ...(shas.length === 0 ? [] : [eb("head_sha", "in", shas)]),
      ]),
    )
    .orderBy("id", "desc")
    .limit(mostUploads)
    .execute();
  const found = new Map<number, { uploads: Set<number>; lastAt: number }>();
  for (const chunk of inChunks(uploads, 64)) {
    const rows = await db
      .selectFrom("test_failures")
      .select(["test_sk", "upload_id", "at"])
      .where("repo_id", "=", repoId)
      // Failures are indexed by time, not by upload.
      .where("at", "in", [...new Set(chunk.map(({ at }) => at))])
      .where("upload_id", "in", [...new Set(chunk.map(({ id }) => id))])
      .execute();
    for (const { test_sk, upload_id, at } of rows) {
      const known = found.get(test_sk) ?? { uploads: new Set(), lastAt: 0 };
      known.uploads.add(upload_id);
      found.set(test_sk, { ...known, lastAt: Math.max(known.lastAt, at) });
    }
  }
  return [...found]
    .map(
      ([
        sk,
        {
          uploads: { size: runs },
          lastAt,
        },
      ]) => ({ sk, runs, lastAt }),
    )
    .sort((a, b) => b.lastAt - a.lastAt || b.runs - a.runs || a.sk - b.sk);
}
