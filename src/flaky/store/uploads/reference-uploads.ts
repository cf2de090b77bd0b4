import { setImmediate as nextRound } from "node:timers/promises";
import { sql } from "kysely";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { day } from "../../detection/settings.ts";
import type { TestScope } from "../../identity.ts";
import { UnreadableEvidence } from "../../unreadable-evidence.ts";
import { readResults } from "../history/damaged-evidence.ts";
import type { NumberSet } from "../packing/number-set.ts";
import { greenUploads } from "./stored-uploads.ts";
import type { TestPlace, TestResult, TestUploadFacts } from "./upload-records.ts";

/** An upload that was complete, with which others are compared: its step passed, or all of its failures were forgiven. */
export interface ReferenceUpload {
  readonly id: number;
  readonly at: number;
  readonly head_sha: string;
  readonly run_id: string;
  readonly cases: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly results: Uint8Array;
}

/** The facts of an upload that determine which uploads it is compared with. */
export type ComparedUpload = TestPlace &
  Pick<TestUploadFacts, "at" | "headSha" | "treeSha" | "branch" | "line" | "kind" | "pr"> &
  Pick<TestUploadFacts, "runId" | "runAttempt"> & {
    /** The commit that the tested one is built on; null when unknown. */
    readonly baseSha: string | null;
    /** The pull requests that a run of the queue contains; null when unknown. */
    readonly queued: readonly number[] | null;
  };

/** An upload that is compared with earlier ones. */
export interface SearchedUpload {
  readonly repositoryId: number;
  /** The parts of a test's id that come from the repository. */
  readonly scope: Omit<TestScope, "variant">;
  readonly upload: ComparedUpload;
  readonly cases: number;
  /** Null when not all of its tests are identified yet. */
  readonly results: Iterable<TestResult> | null;
}

/** The tests of an upload. */
export interface CollectedTests {
  readonly numbers: NumberSet;
  /** The ids of tests without a number. An upload that is not stored may have such tests. */
  readonly unnumbered: ReadonlySet<string>;
}

const columns = [
  ...(["id", "at", "head_sha", "run_id", "cases"] as const),
  ...(["passed", "failed", "skipped", "results"] as const),
] as const;

/** From this age on, a test is expected in all uploads, unless it is known to be missing at the upload's base. */
const settledAfter = 7 * day;

/**
 * The uploads whose tests an upload must have. If there are two, only tests of both are expected: the base of the upload is not known, and
 * may lack tests that were added between the two.
 */
export async function referencesOf(
  db: Database,
  repositoryId: number,
  upload: ComparedUpload,
): Promise<readonly ReferenceUpload[]> {
  const exact =
    (await ofTree(db, repositoryId, upload)) ??
    (upload.baseSha === null ? undefined : await ofCommit(db, repositoryId, upload, upload.baseSha));
  return exact ? [exact] : await recentReferences(db, repositoryId, upload);
}

/** The last green uploads of the line, `most` at most, and an older one. If the line has none, those of any line. */
export async function recentReferences(
  db: Database,
  repositoryId: number,
  upload: ComparedUpload,
  most = 1,
): Promise<readonly ReferenceUpload[]> {
  const onLine = await recent(db, repositoryId, upload, most);
  return onLine.length > 0 ? onLine : await recent(db, repositoryId, without(upload), most);
}

function completeUploads(db: Database, repositoryId: number, { workflow, job, variant, step }: TestPlace) {
  return db
    .selectFrom("test_uploads")
    .select(columns)
    .where("repo_id", "=", repositoryId)
    .where("job", "=", job)
    .where("variant", "=", variant)
    .where("workflow", "=", workflow)
    .where("step", "=", step)
    .where(({ or, eb }) => or([eb("is_green", "=", 1), eb("verdict", "=", "quarantined")]))
    .where("given_up", "is", null)
    .orderBy("id", "desc");
}

/** Restricted to the line, because the same tree may be tested for several stable branches, with different tests. */
async function ofTree(db: Database, repositoryId: number, upload: ComparedUpload) {
  return await completeUploads(db, repositoryId, upload)
    .where("tree_sha", "=", upload.treeSha)
    .where("line", "=", upload.line)
    .where(({ or, eb }) => or([eb("run_id", "!=", upload.runId), eb("run_attempt", "!=", upload.runAttempt)]))
    .limit(1)
    .executeTakeFirst();
}

async function ofCommit(db: Database, repositoryId: number, place: TestPlace, sha: string) {
  return await completeUploads(db, repositoryId, place)
    .where("head_sha", "=", sha)
    .where("kind", "in", ["stable", "queue"])
    .limit(1)
    .executeTakeFirst();
}

/**
 * The last green uploads and one that is a week older, or the oldest. Uploads of stable branches come first. Changes that the queue or a
 * pull request tests may never merge.
 */
async function recent(
  db: Database,
  repositoryId: number,
  upload: Omit<ComparedUpload, "line"> & Partial<Pick<ComparedUpload, "line">>,
  most: number,
): Promise<readonly ReferenceUpload[]> {
  for (const kind of ["stable", "queue", "pr"] as const) {
    const uploads = greenUploads(db, repositoryId, { ...upload, kind })
      .select(columns)
      .where("given_up", "is", null);
    const newest = await uploads.limit(most).execute();
    if (newest.length === 0) continue;
    const older =
      (await uploads
        .where("at", "<=", upload.at - settledAfter)
        .limit(1)
        .executeTakeFirst()) ?? (await uploads.clearOrderBy().orderBy("id").limit(1).executeTakeFirst());
    return older && newest.every(({ id }) => id !== older.id) ? [...newest, older] : newest;
  }
  return [];
}

function without<Place extends { readonly line: string }>({ line: _, ...place }: Place): Omit<Place, "line"> {
  return place;
}

/** The maximum number of the last green uploads of a job in which the one of the same pull request is searched. */
const mostSearched = 1_000;
/** The number of a run's first pull request, in the name of its test branch. */
const queuedPullRequest = /(?:^|\/)pr-(\d{1,10})[-/]/;

/**
 * The last complete uploads that show which tests a change deletes: for a change, one of each of its pull requests; for a stable branch,
 * one of the queue that merges into it.
 */
export async function lastOfChange(
  db: Database,
  repositoryId: number,
  upload: ComparedUpload,
): Promise<readonly ReferenceUpload[]> {
  const { kind, line } = upload;
  const place = { ...upload, line, kind: kind === "stable" ? ("queue" as const) : ("pr" as const) };
  const greens = greenUploads(db, repositoryId, place).where("given_up", "is", null);
  if (kind === "stable") return await greens.select(columns).limit(1).execute();
  const prs = pullRequestsOf(upload);
  if (prs.length === 0) return [];
  // There is no index by pull request.
  const lasts = db
    .selectFrom(greens.select(["id", "pr"]).limit(mostSearched).as("greens"))
    .select(({ fn }) => fn.max("id").as("id"))
    .where("pr", "in", prs)
    .groupBy("pr");
  return await db.selectFrom("test_uploads").select(columns).where("id", "in", lasts).execute();
}

function pullRequestsOf({ kind, branch, pr, queued }: ComparedUpload): readonly number[] {
  if (pr !== null) return [pr];
  const [, first] = (kind === "queue" && queuedPullRequest.exec(branch)) || [];
  return queued ?? (first === undefined ? [] : [Number(first)]);
}

export type RunUpload = ReferenceUpload &
  Pick<TestUploadFacts, "job" | "variant" | "kind"> & {
    readonly run_attempt: number;
    readonly is_green: number;
  };

/** The uploads of a run for one step of a workflow, of all of its jobs whose names differ only in brackets. */
export async function uploadsOfRun(
  db: Database,
  repositoryId: number,
  { workflow, job, step, headSha, runId }: TestPlace & Pick<TestUploadFacts, "headSha" | "runId">,
): Promise<readonly RunUpload[]> {
  const rows = await db
    .selectFrom("test_uploads")
    .select([...columns, "job", "variant", "kind", "run_attempt", "is_green"])
    .where("repo_id", "=", repositoryId)
    // All jobs of a run have the same head, and uploads are indexed by the head.
    .where("head_sha", "=", headSha)
    .where("run_id", "=", runId)
    .where("workflow", "=", workflow)
    .where("step", "=", step)
    .where(sql<boolean>`given_up is null`)
    .execute();
  return rows.filter((row) => jobName(row.job) === jobName(job));
}

/** The name of a job without the values of its matrix. */
function jobName(job: string): string {
  return job.replace(/ \([^()]*\)$/, "");
}

/** The number of results to read before other work runs. */
const atATime = 4_000;

/** The numbers of an upload's tests, in ascending order. Null when its results cannot be read, or are not complete yet. */
export async function numbersOf(reference: ReferenceUpload): Promise<readonly number[] | null> {
  const numbers: number[] = [];
  try {
    for (const some of inBatches(readResults(reference), atATime)) {
      for (const { sk } of some) numbers.push(sk);
      await nextRound();
    }
    return numbers;
  } catch (error) {
    if (error instanceof UnreadableEvidence) return null;
    throw error;
  }
}
