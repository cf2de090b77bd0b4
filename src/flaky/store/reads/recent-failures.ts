import { sql } from "kysely";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { costWindow, type FailedRun } from "../../failure/test-cost.ts";
import { newerNumbers } from "../history/renames.ts";
import type { TestUploadTable } from "../test-schema.ts";

/** The failed runs of a repository's tests, the newest first. */
export interface RecentFailures {
  readonly runs: readonly FailedRun[];
  /** The time since which the list is complete. */
  readonly since: number;
}

/** The maximum number of failed attempts that are read. If each belongs to another upload, reading takes some 100 ms. */
const mostRead = 5_000;

/**
 * Returns the failed runs of the last 14 days, except in suspect uploads.
 *
 * @param only the numbers of the test whose runs are read, that of its newest name first; null = all tests of the repository
 */
export async function recentFailures(
  db: Database,
  repoId: number,
  now: number,
  only: readonly number[] | null = null,
): Promise<RecentFailures> {
  const attempts = db
    .selectFrom("test_failures")
    .select(["upload_id", "at", "test_sk", "is_final", "quarantined", "tests_ms"])
    // Without the repository, for which SQLite would prefer another index than that of the tests.
    .where(({ eb }) => (only === null ? eb("repo_id", "=", repoId) : eb("test_sk", "in", only)))
    .where("at", ">", now - costWindow)
    .where("is_suspect", "=", 0)
    .orderBy("at", "desc")
    .limit(mostRead);
  const uploads = await db
    .selectFrom(attempts.as("attempt"))
    .select(({ fn }) => ["upload_id", "at", fn.countAll<number>().as("attempts"), "tests_ms as testsMs"])
    // As one text, because a row for each failure would take three times as long. Failures that count are negative.
    .select(
      sql<string>`string_agg(cast(case when is_final = 1 and quarantined = 0 then -test_sk else test_sk end as text), ',')`.as(
        "tests",
      ),
    )
    .groupBy(["upload_id", "at", "tests_ms"])
    .orderBy("at", "desc")
    .execute();
  const newest =
    only === null
      ? await newestNumbers(db, repoId, now - costWindow)
      : new Map(only.map((sk) => [sk, only[0] ?? sk]));
  const repeats = await repeatsOf(
    db,
    uploads.map(({ upload_id }) => upload_id),
  );
  const times = await timesOfTestRuns(
    db,
    repoId,
    [...repeats.values()].flatMap(({ runId }) => runId ?? []),
  );
  const runs = uploads.flatMap(({ upload_id: upload, at, tests, testsMs }) => {
    const { pr = null, isInQueue = false, next = null, runId = null } = repeats.get(upload) ?? {};
    const ms = runId === null ? undefined : times.get(runId);
    const testRun = runId === null || ms === undefined ? null : { id: runId, ms };
    const isCounted = new Map<number, boolean>();
    for (const text of tests.split(",")) {
      const number = Number(text);
      const sk = newest.get(Math.abs(number)) ?? Math.abs(number);
      isCounted.set(sk, number < 0 || isCounted.get(sk) === true);
    }
    const run = { upload, at, pr, isInQueue, next, testsMs, testRun };
    return [...isCounted].map(([sk, counts]) => ({ ...run, sk, isCounted: counts }));
  });
  const read = uploads.reduce((sum, { attempts }) => sum + Number(attempts), 0);
  const oldest = read < mostRead ? undefined : uploads.at(-1)?.at;
  return { runs, since: oldest ?? now - costWindow };
}

/** The numbers under the newest names of tests that failed under retired ones. */
async function newestNumbers(
  db: Database,
  repoId: number,
  since: number,
): Promise<ReadonlyMap<number, number>> {
  const retired = await db
    .selectFrom("test_renames")
    .select("from_sk")
    .where("is_retired", "=", 1)
    .where(({ eb, selectFrom }) =>
      eb(
        "from_sk",
        "in",
        selectFrom("test_failures").select("test_sk").where("repo_id", "=", repoId).where("at", ">", since),
      ),
    )
    .execute();
  const newer = await newerNumbers(db, [...new Set(retired.map(({ from_sk }) => from_sk))]);
  return new Map([...newer].map(([sk, numbers]) => [sk, numbers.at(-1) ?? sk]));
}

/** Returns the pull request that an upload is about. Test branches of the queue are named after the one that they test. */
export function testedPullRequest(upload: Pick<TestUploadTable, "kind" | "branch" | "pr">): number | null {
  return testedInQueue(upload)?.pr ?? upload.pr;
}

/** What the name of the queue's test branch tells; null for other branches. */
function testedInQueue({ kind, branch }: Pick<TestUploadTable, "kind" | "branch">) {
  const [, pr, runId = ""] = (kind === "queue" && /\/pr-(\d+)\/([^/]+)$/.exec(branch)) || [];
  return pr === undefined ? null : { pr: Number(pr), runId };
}

/** The pull request and the test run that each upload's test branch is for, and the next run of the job on the same tree. */
async function repeatsOf(db: Database, ids: readonly number[]) {
  const found = new Map<
    number,
    Pick<FailedRun, "pr" | "isInQueue" | "next"> & { readonly runId: string | null }
  >();
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
          // Matrix legs of one run that do not name their variant do not repeat each other.
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
      const runId = testedInQueue(upload)?.runId ?? null;
      const isInQueue = upload.kind === "queue";
      found.set(id, { pr: testedPullRequest(upload), isInQueue, next: repeat, runId });
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

/** How long test runs of the repository's queues took. Those that go on, or are no longer kept, are missing. */
async function timesOfTestRuns(
  db: Database,
  repoId: number,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for (const chunk of inChunks([...new Set(runIds)])) {
    const rows = await db
      .selectFrom("test_runs")
      .select(["run_id", "started_at", "ended_at"])
      .where("queue_id", "in", ({ selectFrom }) =>
        selectFrom("queues")
          .innerJoin("test_repositories as repository", "repository.repo_key", "queues.repo_key")
          .where("repository.id", "=", repoId)
          .select("queues.id"),
      )
      .where("run_id", "in", chunk)
      .execute();
    for (const { run_id, started_at, ended_at } of rows)
      if (ended_at !== null) times.set(run_id, ended_at - started_at);
  }
  return times;
}
