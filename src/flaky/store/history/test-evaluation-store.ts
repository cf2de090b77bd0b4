import { sql } from "kysely";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Announcement } from "../../../ports/webhooks/webhook-message.ts";
import { Prepared } from "../../../store/queries/prepared.ts";
import { announce } from "../../../store/queue/announce.ts";
import type { Writes } from "../../../store/sqlite/group-commit.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import type { FlakyPlaces } from "../../detection/flaky-failures.ts";
import { provenAt, statusOf, type TestHistory } from "../../detection/history.ts";
import type { RunCount } from "../../detection/recovery.ts";
import type { DamagedEvidence } from "../../unreadable-evidence.ts";
import type { NewTests } from "../identities/new-tests.ts";
import { namedTests } from "../identities/test-cases.ts";
import { haveQuarantinesPlanned } from "../quarantines/quarantine-inputs.ts";
import { lacksNothing } from "../uploads/late-result-store.ts";
import {
  uploadColumns as columns,
  type StoredUpload,
  toUpload,
  uploadsOfPlace,
} from "../uploads/stored-uploads.ts";
import { countFrom, countingOf } from "./count-uploads.ts";
import { giveUp, readHistory } from "./damaged-evidence.ts";
import { forgetEvidence } from "./forget-evidence.ts";
import { newMessages } from "./new-messages.ts";
import { RenameReads } from "./rename-reads.ts";
import { applyRenames, type TestRename } from "./renames.ts";
import { countedRuns } from "./run-counts.ts";

/** Where tests run: a job, its variant and its step. */
export type JobPlace = Pick<StoredUpload, "job" | "variant" | "step">;

/**
 * A place for which one run sends several uploads with the same tests, such as matrix legs that do not name
 * their variant.
 */
export interface SharedPlace extends JobPlace {
  readonly repositoryId: number;
  /** The largest number of uploads of one run. */
  readonly uploads: number;
}

/** The current evaluation of a test. */
export interface EvaluatedTest {
  readonly history: TestHistory;
  /** The places where it is flaky, derived from the history by the repository's settings. */
  readonly places: FlakyPlaces;
}

/** The result of evaluating uploads. */
export interface Evaluation {
  readonly uploads: readonly StoredUpload[];
  /** The tests whose history has changed, by number. */
  readonly tests: ReadonlyMap<number, EvaluatedTest>;
  /** Places newly found to be shared, or shared by more uploads than known before. */
  readonly sharedPlaces?: readonly SharedPlace[];
  /** Applied before `tests` are stored. Copies state to the new name, and clears an earlier name that is retired. */
  readonly renames?: readonly TestRename[];
  readonly at: number;
  /** The events to publish, in the same transaction. */
  readonly announces?: readonly Announcement[];
}

const dayMs = 86_400_000;

/**
 * The maximum number of bytes of packed results to evaluate together, unless one upload has more. One
 * transaction rewrites their rows.
 */
const evaluatedBytes = 1_000_000;
/** The maximum number of uploads to count together. */
const countedAtOnce = 20;

const unevaluatedSizes = new Prepared((db, at: { limit: number }) =>
  db
    .selectFrom("test_uploads")
    .select(["id", sql<number>`length(results)`.as("bytes")])
    .where("evaluated_at", "is", null)
    .where(lacksNothing)
    .orderBy("id")
    .limit(at.limit),
);
const uncounted = new Prepared((db, _at: object) =>
  db.selectFrom("test_uncounted_uploads").selectAll().orderBy("upload_id").limit(countedAtOnce),
);

/**
 * The evidence that detection reads, and the results that it stores. Evidence that cannot be read throws an
 * `UnreadableEvidence`.
 */
export class TestEvaluationStore extends SqlStore {
  readonly #newTests: NewTests;
  readonly renames: RenameReads;

  constructor(db: Database, writes: Writes, newTests: NewTests) {
    super(db, writes);
    this.renames = new RenameReads(db);
    this.#newTests = newTests;
  }

  /** First finishes counting earlier uploads, because the next ones are compared with their counts. */
  async unevaluated(limit: number): Promise<readonly StoredUpload[]> {
    await this.#countLeft();
    const { rows: sizes } = await unevaluatedSizes.run(this.db, { limit });
    if (sizes.length === 0) return [];
    // After this, the tests of all these uploads have rows, because they were stored before the uploads.
    await this.#newTests.insertAll();
    const [first = []] = inBatches(sizes, limit, { most: evaluatedBytes, of: ({ bytes }) => bytes });
    return await this.#uploads(first.map(({ id }) => id));
  }

  /** Continues counting uploads whose counting was interrupted. Those that stopped at the same test are counted together. */
  async #countLeft(): Promise<void> {
    for (;;) {
      const { rows: left } = await uncounted.run(this.db, {});
      const [first] = left;
      if (!first) return;
      const alike = left.filter(({ next_sk }) => next_sk === first.next_sk);
      const uploads = await this.#uploads(alike.map(({ upload_id }) => upload_id));
      await countFrom(this.writes, uploads, first.next_sk);
    }
  }

  /** By ascending id. */
  async #uploads(ids: readonly number[]): Promise<readonly StoredUpload[]> {
    if (ids.length === 0) return [];
    const rows = await this.db
      .selectFrom("test_uploads")
      .select(columns)
      .where("id", "in", ids)
      .orderBy("id")
      .execute();
    return rows.map(toUpload);
  }

  /**
   * Up to `limit` earlier uploads of the same tree, workflow, job, variant and step that are not suspect,
   * newest first.
   */
  async beforeOnTree(upload: StoredUpload, limit: number): Promise<readonly StoredUpload[]> {
    const rows = await uploadsOfPlace(this.db, upload)
      .select(columns)
      .where("id", "<", upload.id)
      .where("is_suspect", "=", 0)
      .where("given_up", "is", null)
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return rows.map(toUpload);
  }

  /** The histories of all tests of a repository that have any evidence against them, by number. */
  async histories(repositoryId: number): Promise<ReadonlyMap<number, TestHistory>> {
    const rows = await this.db
      .selectFrom("test_cases")
      .select(["sk", "history"])
      .where("repo_id", "=", repositoryId)
      .where("history", "is not", null)
      .execute();
    return new Map(rows.map(({ sk, history }) => [sk, readHistory(history ?? "", sk)]));
  }

  sharedPlaces(repositoryId: number): Promise<readonly SharedPlace[]> {
    return this.db
      .selectFrom("test_shared_places")
      .select(["repo_id as repositoryId", "job", "variant", "step", "uploads"])
      .where("repo_id", "=", repositoryId)
      .execute();
  }

  /**
   * Of tests that failed in an upload, returns those that failed before but never with their current message.
   */
  newMessages(upload: StoredUpload, sks: readonly number[]): Promise<ReadonlySet<number>> {
    return newMessages(this.db, upload, sks);
  }

  /** How often tests ran and failed since the day that contains `since`, as far as uploads are evaluated. */
  countRuns(sks: readonly number[], since: number): Promise<ReadonlyMap<number, RunCount>> {
    return countedRuns(this.db, sks, Math.floor(since / dayMs));
  }

  /** Tests by number. Tests that do not exist are left out. */
  named(sks: readonly number[]) {
    return namedTests(this.db, sks);
  }

  /**
   * Counts the runs of the uploads and stores the histories, in one transaction. Returns false and writes
   * nothing when one of the uploads was evaluated meanwhile, because the evaluation is then stale.
   */
  async settle({ uploads, tests, sharedPlaces, renames, at, announces }: Evaluation): Promise<boolean> {
    const ids = uploads.map(({ id }) => id);
    const counting = await countingOf(this.writes, uploads);
    const isSettled = await this.writes.run(async (tx) => {
      const open = await tx
        .selectFrom("test_uploads")
        .select("id")
        .where("id", "in", ids)
        .where("evaluated_at", "is", null)
        .execute();
      if (open.length < ids.length) return false;
      await tx.updateTable("test_uploads").set({ evaluated_at: at }).where("id", "in", ids).execute();
      await counting.begin(tx);
      await applyRenames(tx, renames ?? []);
      for (const [sk, evaluated] of tests) await keepHistory(tx, sk, evaluated);
      await keepSharedPlaces(tx, sharedPlaces ?? []);
      const repositories = new Set(uploads.map(({ repositoryId }) => repositoryId));
      if (tests.size > 0 || renames?.length) await haveQuarantinesPlanned(tx, repositories, at);
      for (const announcement of announces ?? []) await announce(tx, announcement);
      return true;
    });
    if (isSettled) await counting.end();
    return isSettled;
  }

  /**
   * Discards evidence that cannot be read: an upload no longer counts as evidence, and a test's history or a day's counts start empty.
   * Counts the loss for the organisation that owns the evidence. Returns false when it was discarded already, or is readable.
   */
  giveUp(evidence: DamagedEvidence, at: number): Promise<boolean> {
    return this.writes.run((tx) => giveUp(tx, evidence, at));
  }

  /**
   * Deletes at most `limit` uploads and failed attempts older than a time, then counts and tests. Returns the
   * number of rows.
   */
  forget(before: number, limit: number): Promise<number> {
    return forgetEvidence(this.writes, before, limit);
  }
}

async function keepHistory(tx: Tx, sk: number, { history, places }: EvaluatedTest): Promise<void> {
  const { status, reason, at } = statusOf(history);
  await tx
    .updateTable("test_cases")
    .set({
      history: JSON.stringify(history),
      status,
      status_reason: JSON.stringify(reason),
      status_at: at,
      proven_at: provenAt(history),
      flaky_places: JSON.stringify(places),
    })
    .where("sk", "=", sk)
    .execute();
}

async function keepSharedPlaces(tx: Tx, places: readonly SharedPlace[]): Promise<void> {
  for (const { repositoryId, uploads, ...place } of places)
    await tx
      .insertInto("test_shared_places")
      .values({ repo_id: repositoryId, ...place, uploads })
      .onConflict((known) => known.columns(["repo_id", "job", "variant", "step"]).doUpdateSet({ uploads }))
      .execute();
}
