import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { costWindow, type FailedRun } from "../../failure/test-cost.ts";
import { newerNumbers } from "../history/renames.ts";
import type { TestUploadTable } from "../test-schema.ts";

/** The failed runs of a repository's tests, the newest first. */
export interface RecentFailures {
  readonly runs: readonly FailedRun[];
  /** Since when all failed runs are among them. */
  readonly since: number;
}

/** The most failed attempts that are read. Reading them takes some 50 ms. */
const mostRead = 20_000;

/** Returns the failed runs of the last 14 days, except in suspect uploads. */
export async function recentFailures(db: Database, repoId: number, now: number): Promise<RecentFailures> {
  const rows = await db
    .selectFrom("test_failures")
    .select(["test_sk", "upload_id", "at", "pr", "is_final", "quarantined"])
    .where("repo_id", "=", repoId)
    .where("at", ">", now - costWindow)
    .where("is_suspect", "=", 0)
    .orderBy("at", "desc")
    .limit(mostRead)
    .execute();
  const newest = await newerNumbers(db, [...new Set(rows.map(({ test_sk }) => test_sk))]);
  const isCounted = (row: (typeof rows)[number]) => row.is_final === 1 && row.quarantined === 0;
  const uploads = await repeatsOf(db, [...new Set(rows.filter(isCounted).map(({ upload_id }) => upload_id))]);
  const runs = new Map<string, FailedRun>();
  for (const row of rows) {
    const sk = newest.get(row.test_sk)?.at(-1) ?? row.test_sk;
    const key = `${sk} ${row.upload_id}`;
    if (runs.has(key)) continue;
    const { pr, next } = uploads.get(row.upload_id) ?? { pr: row.pr, next: null };
    runs.set(key, { sk, upload: row.upload_id, at: row.at, isCounted: isCounted(row), pr, next });
  }
  const oldest = rows.length < mostRead ? undefined : rows.at(-1)?.at;
  return { runs: [...runs.values()], since: oldest ?? now - costWindow };
}

/** Returns the pull request that an upload is about. Test branches of the queue are named after the one that they test. */
export function testedPullRequest({
  kind,
  branch,
  pr,
}: Pick<TestUploadTable, "kind" | "branch" | "pr">): number | null {
  const [, named] = (kind === "queue" && /\/pr-(\d+)\/[^/]+$/.exec(branch)) || [];
  return named === undefined ? pr : Number(named);
}

/** The pull request that each upload's test branch is for, and the next run of the job on the same tree. */
async function repeatsOf(db: Database, ids: readonly number[]) {
  const found = new Map<number, Pick<FailedRun, "pr" | "next">>();
  for (const chunk of inChunks(ids)) {
    const rows = await db
      .selectFrom("test_uploads as upload")
      .select(["upload.id", "upload.branch", "upload.kind", "upload.pr"])
      .select(({ selectFrom }) =>
        selectFrom("test_uploads as later")
          .select(({ fn }) => fn.min<number | null>("later.id").as("id"))
          .whereRef("later.repo_id", "=", "upload.repo_id")
          .whereRef("later.tree_sha", "=", "upload.tree_sha")
          .whereRef("later.job", "=", "upload.job")
          .whereRef("later.variant", "=", "upload.variant")
          .whereRef("later.workflow", "=", "upload.workflow")
          .whereRef("later.step", "=", "upload.step")
          .whereRef("later.id", ">", "upload.id")
          .where("later.is_suspect", "=", 0)
          // Matrix legs of one run that do not name their variant are no repetitions.
          .where(({ eb, or, ref }) =>
            or([
              eb("later.run_id", "!=", ref("upload.run_id")),
              eb("later.run_attempt", "!=", ref("upload.run_attempt")),
            ]),
          )
          .as("next"),
      )
      .where("upload.id", "in", chunk)
      .execute();
    const times = await timesOf(
      db,
      rows.flatMap(({ next }) => next ?? []),
    );
    for (const { id, next, ...upload } of rows) {
      const at = next === null ? undefined : times.get(next);
      const repeat = next === null || at === undefined ? null : { upload: next, at };
      found.set(id, { pr: testedPullRequest(upload), next: repeat });
    }
  }
  return found;
}

async function timesOf(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const times = new Map<number, number>();
  for (const chunk of inChunks(ids)) {
    const rows = await db.selectFrom("test_uploads").select(["id", "at"]).where("id", "in", chunk).execute();
    for (const { id, at } of rows) times.set(id, at);
  }
  return times;
}
