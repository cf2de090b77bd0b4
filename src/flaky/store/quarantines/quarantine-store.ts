import type { Announcement } from "../../../ports/webhooks/webhook-message.ts";
import { Prepared } from "../../../store/queries/prepared.ts";
import { announce } from "../../../store/queue/announce.ts";
import type { Writes } from "../../../store/sqlite/group-commit.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import type { StatusChange } from "../../detection/status.ts";
import type { Quarantine, QuarantineMode, QuarantineSettings } from "../../quarantine/decide-quarantine.ts";

import type { NewTests } from "../identities/new-tests.ts";
import { numbersOf, type StoredId, storedId } from "../identities/test-ids.ts";

import type { NamedTest } from "../uploads/upload-records.ts";
import { readQuarantineInputs, selectCases, toCandidate } from "./quarantine-inputs.ts";

/** A test with the data that quarantine decisions need. */
export interface QuarantineCandidate extends NamedTest {
  readonly sk: number;
  readonly mode: QuarantineMode;
  readonly status: StatusChange;
  /** When its runs last proved that it is flaky; null when they never did. */
  readonly provenAt: number | null;
  readonly isQuarantined: boolean;
  /** The current quarantine, or the last one that ended because it expired or because the test broke. */
  readonly quarantine: Quarantine | null;
  readonly ticketUrl: string | null;
}

/** The new quarantine state of a test. */
export interface QuarantineRevision {
  readonly sk: number;
  readonly mode: QuarantineMode;
  readonly isQuarantined: boolean;
  readonly quarantine: Quarantine | null;
}

/** The data of a repository that its quarantine decisions depend on. */
export interface QuarantineInputs {
  /** Tests that are flaky, quarantined by detection, past the end of their quarantine, or requested by id. */
  readonly candidates: readonly QuarantineCandidate[];
  /** How many tests the repository has. */
  readonly tests: number;
  /** The repository's settings. */
  readonly settings: QuarantineSettings;
}

export interface QuarantinePlan {
  readonly revisions: readonly QuarantineRevision[];
  /** Whether the budget has no room for a flaky test; null when that was not checked. */
  readonly isBudgetSpent: boolean | null;
  /** The events to publish, in the same transaction. */
  readonly announces?: Announcement;
}

/** The number of tests that one statement scans. */
const scannedAtOnce = 500;
/** The number of tickets written in one transaction, for which other writers wait. */
const ticketsAtOnce = 1_000;

const withUnplanned = new Prepared((db, _at: object) =>
  db.selectFrom("test_repositories").select("id").where("unplanned_since", "is not", null),
);
const withExpired = new Prepared((db, { at }: { at: number }) =>
  db
    .selectFrom("test_cases")
    .innerJoin("test_repositories", "test_repositories.id", "test_cases.repo_id")
    .select("repo_id as id")
    .distinct()
    // While quarantining is disabled, expired quarantines stay, and must not be checked again and again.
    .where("quarantining", "=", 1)
    .where((test) => test("quarantined", "=", test.lit(1)))
    .where("quarantine_expires_at", "<=", at),
);

/** The quarantines: tests whose failures are forgiven. */
export class QuarantineStore extends SqlStore {
  readonly #newTests: NewTests;

  constructor(db: Database, writes: Writes, newTests: NewTests) {
    super(db, writes);
    this.#newTests = newTests;
  }

  /**
   * Calls `plan` with the inputs and applies its result, in one transaction. The inputs contain the tests that matter to the budget, and
   * the existing tests with these ids.
   *
   * @param plan must be pure
   */
  async revise(
    repositoryId: number,
    ids: readonly string[],
    at: number,
    plan: (inputs: QuarantineInputs) => QuarantinePlan,
  ): Promise<QuarantinePlan> {
    await this.#newTests.insertAll();
    return await this.writes.run(async (tx) => {
      const planned = plan(await readQuarantineInputs(tx, repositoryId, ids, at));
      for (const { sk, mode, isQuarantined, quarantine } of planned.revisions)
        await carryOut.run(tx, {
          ...{ repositoryId, sk, mode },
          quarantined: isQuarantined ? 1 : 0,
          since: quarantine?.since ?? null,
          expiresAt: quarantine?.expiresAt ?? null,
          owner: quarantine?.owner ?? null,
          reason: quarantine?.reason ?? null,
        });
      if (planned.announces && planned.revisions.length > 0) await announce(tx, planned.announces);
      if (planned.isBudgetSpent !== null)
        await tx
          .updateTable("test_repositories")
          .set({ budget_spent_at: planned.isBudgetSpent ? at : null })
          .where("id", "=", repositoryId)
          // The column stores since when the budget is used up, so it is set only once.
          .where("budget_spent_at", planned.isBudgetSpent ? "is" : "is not", null)
          .execute();
      await tx
        .updateTable("test_repositories")
        .set({ unplanned_since: null })
        .where("id", "=", repositoryId)
        .where("unplanned_since", "is not", null)
        .execute();
      return planned;
    });
  }

  /**
   * Repositories for which `revise` has something to decide: a history changed since the last time, or a
   * quarantine has expired.
   */
  async due(at: number): Promise<readonly number[]> {
    const unplanned = await withUnplanned.run(this.db, {});
    const expired = await withExpired.run(this.db, { at });
    return [...new Set([...unplanned.rows, ...expired.rows].map(({ id }) => id))];
  }

  async find(repositoryId: number, id: string): Promise<QuarantineCandidate | null> {
    await this.#newTests.insertAll();
    const row = await selectCases(this.db, repositoryId)
      .where("sk", "in", numbersOf(this.db, repositoryId, [id]))
      .executeTakeFirst();
    return row ? toCandidate(row) : null;
  }

  /**
   * Up to `limit` tests with an id above `afterId`, by id, that are quarantined or have their own mode or a
   * ticket.
   */
  async list(repositoryId: number, afterId: string, limit: number): Promise<readonly QuarantineCandidate[]> {
    const found: QuarantineCandidate[] = [];
    for (let from = storedId(afterId); ; ) {
      // Determined before reading, because tests may be added and deleted meanwhile.
      const to = await this.#idAhead(repositoryId, from);
      const rows = await selectCases(this.db, repositoryId)
        .where("sk", "in", this.#numbersBetween(repositoryId, from, to))
        .where((test) =>
          test.or([
            test("quarantined", "=", 1),
            test("quarantine_mode", "!=", "AUTO"),
            test("ticket_url", "is not", null),
          ]),
        )
        .orderBy("id")
        .limit(limit - found.length)
        .execute();
      for (const row of rows) found.push(toCandidate(row));
      if (to === null || found.length === limit) return found;
      from = to;
    }
  }

  /** @param to null means up to the end. */
  #numbersBetween(repositoryId: number, from: StoredId, to: StoredId | null) {
    const ahead = this.db
      .selectFrom("test_ids")
      .select("test_sk")
      .where("repo_id", "=", repositoryId)
      .where("id", ">", from);
    return to === null ? ahead : ahead.where("id", "<=", to);
  }

  /** The last id that one statement scans; null means up to the end. */
  async #idAhead(repositoryId: number, from: StoredId): Promise<StoredId | null> {
    const ahead = await this.db
      .selectFrom("test_ids")
      .select("id")
      .where("repo_id", "=", repositoryId)
      .where("id", ">", from)
      .orderBy("id")
      .offset(scannedAtOnce - 1)
      .limit(1)
      .executeTakeFirst();
    return ahead?.id ?? null;
  }

  /** False when there is no such test. */
  async linkTicket(repositoryId: number, id: string, url: string | null): Promise<boolean> {
    await this.#newTests.insertAll();
    return await this.writes.run(async (tx) => {
      const { numAffectedRows } = await putTicket.run(tx, { repositoryId, id: storedId(id), url });
      return (numAffectedRows ?? 0n) > 0n;
    });
  }

  /** Like `linkTicket` for many tests, by id, in several short transactions. Can be repeated. */
  async linkTickets(repositoryId: number, tickets: ReadonlyMap<string, string>): Promise<void> {
    await this.#newTests.insertAll();
    const all = [...tickets];
    for (let from = 0; from < all.length; from += ticketsAtOnce)
      await this.writes.run(async (tx) => {
        for (const [id, url] of all.slice(from, from + ticketsAtOnce))
          await putTicket.run(tx, { repositoryId, id: storedId(id), url });
      });
  }
}

interface Revised {
  readonly repositoryId: number;
  readonly sk: number;
  readonly mode: QuarantineMode;
  readonly quarantined: 0 | 1;
  readonly since: number | null;
  readonly expiresAt: number | null;
  readonly owner: string | null;
  readonly reason: string | null;
}

const carryOut = new Prepared((db, of: Revised) =>
  db
    .updateTable("test_cases")
    .set({
      quarantine_mode: of.mode,
      quarantined: of.quarantined,
      quarantined_at: of.since,
      quarantine_expires_at: of.expiresAt,
      quarantine_owner: of.owner,
      quarantine_reason: of.reason,
    })
    .where("sk", "=", of.sk)
    .where("repo_id", "=", of.repositoryId),
);

const putTicket = new Prepared((db, at: { repositoryId: number; id: StoredId; url: string | null }) =>
  db
    .updateTable("test_cases")
    .set({ ticket_url: at.url })
    .where("sk", "in", (test) =>
      test
        .selectFrom("test_ids")
        .select("test_sk")
        .where("repo_id", "=", at.repositoryId)
        .where("id", "=", at.id),
    ),
);
