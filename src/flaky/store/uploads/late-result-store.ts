import type { ExpressionBuilder } from "kysely";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import type { Schema, Tx } from "../../../store/sqlite/schema.ts";
import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import { UnreadableEvidence } from "../../unreadable-evidence.ts";
import { type NumberedResult, packResults, unpackResults } from "../packing/packed-results.ts";
import { countResult, noResults, type ResultTotals, timeOfTests } from "./insert-upload.ts";

/** A report that is kept until it is read again. */
export interface KeptReport {
  readonly encoding: "text" | "gzip" | "zstd";
  /** For the encoding `text`, it is compressed with zstd. */
  readonly content: Uint8Array;
}

/**
 * Results that are not stored with the upload: those of passed tests whose numbers were not looked up yet.
 */
export interface LateResults {
  /** The number of those results. */
  readonly passed: number;
  /** All reports of the upload, in order. */
  readonly reports: readonly KeptReport[];
}

/** An upload that lacks results, and the data for adding them. */
export interface IncompleteUpload {
  readonly id: number;
  readonly repo: RepositoryRef;
  readonly at: number;
  readonly variant: string;
  readonly cases: number;
  readonly reports: readonly KeptReport[];
}

/** Stores the reports of an upload with it, so that they can be read again. */
export async function keepReports(tx: Tx, id: number, { reports }: LateResults): Promise<void> {
  for (const [position, report] of reports.entries())
    await tx
      .insertInto("test_late_reports")
      .values({ upload_id: id, position, ...report })
      .execute();
}

/**
 * Neither the upload nor an earlier one of its repository lacks results. Uploads are evaluated in order of
 * arrival.
 */
export function lacksNothing({ not, exists, selectFrom }: ExpressionBuilder<Schema, "test_uploads">) {
  return not(
    exists(
      selectFrom("test_late_reports")
        .innerJoin("test_uploads as lacking", "lacking.id", "upload_id")
        .select("upload_id")
        .whereRef("lacking.repo_id", "=", "test_uploads.repo_id")
        .whereRef("lacking.id", "<=", "test_uploads.id"),
    ),
  );
}

/**
 * Uploads that were answered before all their results were stored. Until they are complete, neither they nor
 * later uploads of the repository are evaluated.
 */
export class LateResultStore extends SqlStore {
  /** The ids of incomplete uploads, oldest first. */
  async incomplete(): Promise<readonly number[]> {
    const rows = await this.db
      .selectFrom("test_late_reports")
      .select("upload_id")
      .distinct()
      .orderBy("upload_id")
      .execute();
    return rows.map(({ upload_id }) => upload_id);
  }

  /** Null when the upload is complete or deleted. */
  async find(id: number): Promise<IncompleteUpload | null> {
    const upload = await this.db
      .selectFrom("test_uploads")
      .innerJoin("test_repositories", "test_repositories.id", "test_uploads.repo_id")
      .select(["host", "owner", "name", "at", "variant", "cases"])
      .where("test_uploads.id", "=", id)
      .executeTakeFirst();
    const reports = await this.db
      .selectFrom("test_late_reports")
      .select(["encoding", "content"])
      .where("upload_id", "=", id)
      .orderBy("position")
      .execute();
    if (!upload || reports.length === 0) return null;
    const { host, owner, name, ...rest } = upload;
    return { id, repo: { host, owner, name }, ...rest, reports };
  }

  /**
   * Adds the missing results to an upload, marks it complete, and deletes its reports. Results that it
   * already has stay unchanged. Does nothing when the upload is complete.
   *
   * @param results iterated once.
   */
  async complete(id: number, results: Iterable<NumberedResult>): Promise<void> {
    const row = await this.db
      .selectFrom("test_uploads")
      .select(["repo_id", "at", "results"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) return;
    const totals = noResults();
    const packed = await packResults(counted(joined({ id, ...row }, results), totals));
    const { passed, failed, skipped } = totals.outcomes;
    await this.writes.run(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom("test_late_reports")
        .where("upload_id", "=", id)
        .executeTakeFirst();
      // Another process has completed it.
      if (numDeletedRows === 0n) return;
      await tx
        .updateTable("test_uploads")
        .set({ results: packed, passed, failed, skipped })
        .where("id", "=", id)
        .execute();
      // Filters by the time as well, because failures are indexed by time and not by upload.
      await tx
        .updateTable("test_failures")
        .set({ tests_ms: timeOfTests(totals) })
        .where("repo_id", "=", row.repo_id)
        .where("at", "=", row.at)
        .where("upload_id", "=", id)
        .execute();
    });
  }
}

/** Results that were stored with the upload stay unchanged. @throws UnreadableEvidence */
function* joined(
  stored: { readonly id: number; readonly results: Uint8Array },
  others: Iterable<NumberedResult>,
): Generator<NumberedResult> {
  const known = new Set<number>();
  for (const result of storedResults(stored)) {
    known.add(result.sk);
    yield result;
  }
  for (const result of others) {
    // Different names can have the same id.
    if (known.has(result.sk)) continue;
    known.add(result.sk);
    yield result;
  }
}

function* storedResults({ id, results }: { id: number; results: Uint8Array }): Generator<NumberedResult> {
  try {
    yield* unpackResults(results);
  } catch (error) {
    throw new UnreadableEvidence({ kind: "upload", id }, error);
  }
}

function* counted(results: Iterable<NumberedResult>, totals: ResultTotals): Generator<NumberedResult> {
  for (const result of results) {
    countResult(totals, result);
    yield result;
  }
}
