import { setImmediate as nextRound } from "node:timers/promises";
import { sql } from "kysely";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { namedTests } from "../identities/test-cases.ts";
import {
  greenUploads,
  type StoredUpload,
  toUpload,
  uploadColumns,
  uploadsOfPlace,
} from "../uploads/stored-uploads.ts";
import { countStableRuns } from "./run-counts.ts";

/** The maximum number of uploads to search for those of other places and lines. */
const mostScanned = 2_000;
/** The maximum number of uploads of one tree to read. If there are more, new tests are treated as known. */
const mostOnTree = 20;
/** The number of results to read before other work runs. */
const atATime = 4_000;

/** The queries that the evaluation of uploads uses to find renamed tests. */
export class RenameReads {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The last green upload of a stable branch before this one, of the same workflow, job, variant, step and
   * line. Null when there is none.
   */
  async greenBefore(upload: StoredUpload): Promise<StoredUpload | null> {
    const row = await greenUploads(this.#db, upload.repositoryId, { ...upload, kind: "stable" })
      .select(uploadColumns)
      .where("id", "<", upload.id)
      .where("given_up", "is", null)
      .limit(1)
      .executeTakeFirst();
    return row ? toUpload(row) : null;
  }

  /** Whether the upload's run has uploaded other results for the same place. */
  async hasSiblings(upload: StoredUpload): Promise<boolean> {
    const sibling = await uploadsOfPlace(this.#db, upload)
      .select("id")
      .where("run_id", "=", upload.runId)
      .where("run_attempt", "=", upload.runAttempt)
      .where("id", "!=", upload.id)
      .limit(1)
      .executeTakeFirst();
    return sibling !== undefined;
  }

  /**
   * For each other place and line, the stable-branch uploads of the newest run before this upload and since a
   * time. Null when there are more than `limit`.
   */
  async newestElsewhere(
    upload: StoredUpload,
    since: number,
    limit: number,
  ): Promise<readonly StoredUpload[] | null> {
    const recent = await this.#db
      .selectFrom("test_uploads")
      .select(["id", "workflow", "job", "variant", "step", "line", "run_id"])
      .where("repo_id", "=", upload.repositoryId)
      .where("kind", "=", sql.lit("stable"))
      .where("id", "<", upload.id)
      .where("at", ">=", since)
      .where("is_suspect", "=", 0)
      .where("given_up", "is", null)
      .orderBy("id", "desc")
      .limit(mostScanned)
      .execute();
    const newestRuns = new Map([[placeOf(upload), ""]]);
    const ids: number[] = [];
    for (const { id, run_id, ...place } of recent) {
      const key = placeOf(place);
      const run = newestRuns.get(key) ?? run_id;
      newestRuns.set(key, run);
      if (run === run_id) ids.push(id);
    }
    if (ids.length > limit) return null;
    return await this.#load(ids);
  }

  /**
   * Returns the tests that are not new in an upload: they have an earlier name, or ran on a stable branch on
   * another tree. Only evaluated uploads count.
   */
  async knownBefore(upload: StoredUpload, sks: readonly number[]): Promise<ReadonlySet<number>> {
    const found = new Set<number>();
    for (const chunk of inChunks(sks)) {
      const renamed = await this.#db
        .selectFrom("test_renames")
        .select("to_sk")
        .where("to_sk", "in", chunk)
        .execute();
      for (const { to_sk } of renamed) found.add(to_sk);
    }
    const onTree = await this.#runsOnTree(upload, new Set(sks));
    for (const sk of sks) if ((await countStableRuns(this.#db, sk)) > (onTree.get(sk) ?? 0)) found.add(sk);
    return found;
  }

  /** Tests by number. */
  named(sks: readonly number[]) {
    return namedTests(this.#db, sks);
  }

  /**
   * How often tests ran before on the upload's tree on stable branches: in other jobs of the same commit, and
   * in earlier attempts.
   */
  async #runsOnTree(upload: StoredUpload, sks: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
    const before = await this.#db
      .selectFrom("test_uploads")
      .select("id")
      .where("repo_id", "=", upload.repositoryId)
      .where("tree_sha", "=", upload.treeSha)
      .where("kind", "=", "stable")
      .where("id", "<", upload.id)
      .where("is_suspect", "=", 0)
      .where("given_up", "is", null)
      .where("evaluated_at", "is not", null)
      .limit(mostOnTree)
      .execute();
    const runs = new Map<number, number>();
    for (const { results } of await this.#load(before.map(({ id }) => id)))
      for (const some of inBatches(results, atATime)) {
        for (const { sk, first } of some)
          if (first !== "skipped" && sks.has(sk)) runs.set(sk, (runs.get(sk) ?? 0) + 1);
        await nextRound();
      }
    return runs;
  }

  /** Reads the uploads one by one, because their results may be large. */
  async #load(ids: readonly number[]): Promise<readonly StoredUpload[]> {
    const found: StoredUpload[] = [];
    for (const id of ids) {
      const row = await this.#db
        .selectFrom("test_uploads")
        .select(uploadColumns)
        .where("id", "=", id)
        .executeTakeFirst();
      if (row) found.push(toUpload(row));
    }
    return found;
  }
}

type Place = Pick<StoredUpload, "workflow" | "job" | "variant" | "step" | "line">;

function placeOf({ workflow, job, variant, step, line }: Place): string {
  return JSON.stringify([workflow, job, variant, step, line]);
}
