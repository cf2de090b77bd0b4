import { sql } from "kysely";
import { newClaim } from "../../../store/leased/new-claim.ts";
import type { Claim } from "../../../store/leased/outbox.ts";
import { Prepared } from "../../../store/queries/prepared.ts";
import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import { planIssues } from "./plan-issues.ts";
import { type IssuesRefusal, settingsOf } from "./test-settings-store.ts";

/** An issue under a worker's claim; as in `ClaimedRow`. */
export interface ClaimedIssue {
  /** The test's number. The test may no longer exist. */
  readonly sk: number;
  readonly claim: string;
}

/** An issue whose content differs from the current status of its test. */
export interface DueIssue extends ClaimedIssue {
  readonly testId: string;
  readonly repositoryId: number;
  /** Null when no issue is known to be open for the test. */
  readonly number: number | null;
  readonly isOpen: boolean;
  /**
   * Since when an unknown issue may exist because of an attempt to open one; null when there was no attempt.
   */
  readonly triedAt: number | null;
  /** The number of earlier claims. */
  readonly attempts: number;
}

/** The current state of an issue. */
export interface RecordedIssue {
  readonly number: number;
  readonly url: string;
  readonly isOpen: boolean;
  /** The time of the status change that the issue describes. */
  readonly toldStatusAt: number;
}

/** The maximum stored length of an error message. */
const maxErrorLength = 500;
const atRest = { due_at: null, lease_owner: null, lease_until: null, attempts: 0 };

const firstDue = new Prepared((db, _at: object) =>
  db
    .selectFrom("test_issues")
    .select((issue) => issue.fn.min("due_at").as("due_at"))
    .where("due_at", "is not", null),
);

/**
 * The issues of flaky tests. Due issues are derived from the tests' statuses and from what their issues describe, so no work is lost: a
 * plan that was not carried out is made again.
 */
export class TestIssueStore extends SqlStore {
  /** Repositories for which issues are opened. */
  async repositories(): Promise<readonly number[]> {
    const rows = await this.db
      .selectFrom("test_repositories")
      .select(["id", "quarantining", "settings"])
      .where("settings", "is not", null)
      .execute();
    return rows.filter((row) => settingsOf(row).issues).map(({ id }) => id);
  }

  /**
   * Makes issues of a repository due: those that describe another status than their test has, those whose
   * test is gone, and as many issues to open or reopen as the hourly maximum permits. Tests that have been
   * unhealthy the longest come first. Repeatable.
   */
  plan(repositoryId: number, now: number, mostInAnHour: number): Promise<void> {
    return this.writes.run((tx) => planIssues(tx, repositoryId, now, mostInAnHour));
  }

  /** Leases due issues, those due the longest first. */
  async claim({ owner, now, leaseMs, limit }: Claim): Promise<readonly DueIssue[]> {
    const due = await this.nextDue();
    if (due === null || due > now) return [];
    return await this.writes.run(async (tx) => {
      const rows = await tx
        .selectFrom("test_issues")
        .select(["test_sk", "test_id", "repo_id", "number", "is_open", "tried_at", "attempts"])
        .where("due_at", "<=", now)
        .orderBy("due_at")
        .orderBy("test_sk")
        .limit(limit)
        .execute();
      const held = newClaim(owner);
      const lease = { lease_owner: held, lease_until: now + leaseMs, due_at: now + leaseMs };
      for (const { test_sk, tried_at, attempts } of rows)
        await tx
          .updateTable("test_issues")
          // From the first attempt on, an unrecorded issue may exist.
          .set({ ...lease, attempts: attempts + 1, tried_at: tried_at ?? now })
          .where("test_sk", "=", test_sk)
          .execute();
      return rows.map((row) => ({
        sk: row.test_sk,
        claim: held,
        testId: row.test_id,
        repositoryId: row.repo_id,
        number: row.number,
        isOpen: row.is_open === 1,
        triedAt: row.tried_at,
        attempts: row.attempts,
      }));
    });
  }

  /** This method and the following ones change nothing when the issue was settled, given back, or claimed by another worker. */
  async renew({ sk, claim }: ClaimedIssue, leaseUntil: number): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .updateTable("test_issues")
        .set({ lease_until: leaseUntil, due_at: leaseUntil })
        .where("test_sk", "=", sk)
        .where("lease_owner", "=", claim)
        .execute(),
    );
  }

  async nextDue(): Promise<number | null> {
    const first = await firstDue.first(this.db, {});
    return first?.due_at ?? null;
  }

  /** Settles the issue. It becomes the test's ticket if the test has none. */
  async record(
    { sk, claim }: ClaimedIssue,
    { number, url, isOpen, toldStatusAt }: RecordedIssue,
  ): Promise<void> {
    await this.writes.run(async (tx) => {
      const row = await tx
        .updateTable("test_issues")
        .set({ ...atRest, number, url, is_open: isOpen ? 1 : 0, tried_at: null, last_error: null })
        .set({ told_status_at: toldStatusAt })
        .where("test_sk", "=", sk)
        .where("lease_owner", "=", claim)
        .returning("repo_id")
        .executeTakeFirst();
      if (!row) return;
      await tx
        .updateTable("test_repositories")
        .set({ issues_refused: null })
        .where("id", "=", row.repo_id)
        .where("issues_refused", "is not", null)
        .execute();
      if (isOpen)
        await tx
          .updateTable("test_cases")
          .set({ ticket_url: url })
          .where("sk", "=", sk)
          .where("ticket_url", "is", null)
          .execute();
    });
  }

  /** Makes the issue due again at a time. */
  postpone(due: ClaimedIssue, at: number, error: string): Promise<void> {
    const again = { due_at: at, lease_owner: null, lease_until: null };
    return this.#settle(due, { ...again, last_error: error.slice(0, maxErrorLength) });
  }

  /** Makes the issue not due until the test's status changes again. */
  giveUp(due: ClaimedIssue, toldStatusAt: number, error: string): Promise<void> {
    const told = { told_status_at: toldStatusAt, last_error: error.slice(0, maxErrorLength) };
    return this.#settle(due, { ...atRest, ...told });
  }

  /** Records that there is no issue and none is needed. */
  async drop({ sk, claim }: ClaimedIssue): Promise<void> {
    await this.writes.run((tx) =>
      tx.deleteFrom("test_issues").where("test_sk", "=", sk).where("lease_owner", "=", claim).execute(),
    );
  }

  /**
   * Cancels all due work on the repository's issues until the next plan, because issues are switched off or
   * refused.
   */
  async halt(
    { sk, claim }: ClaimedIssue,
    refusal: { readonly code: IssuesRefusal; readonly message: string; readonly at: number } | null,
  ): Promise<void> {
    await this.writes.run(async (tx) => {
      const held = await tx
        .selectFrom("test_issues")
        .select("repo_id")
        .where("test_sk", "=", sk)
        .where("lease_owner", "=", claim)
        .executeTakeFirst();
      if (!held) return;
      const repositoryId = held.repo_id;
      await tx
        .updateTable("test_issues")
        // Issues that were not opened do not count against the hourly maximum.
        .set({ ...atRest, opened_at: sql`case when is_open = 1 then opened_at end` })
        .where("repo_id", "=", repositoryId)
        .where("due_at", "is not", null)
        .execute();
      if (refusal)
        await tx
          .updateTable("test_repositories")
          .set({ issues_refused: JSON.stringify(refusal) })
          .where("id", "=", repositoryId)
          .execute();
    });
  }

  async #settle({ sk, claim }: ClaimedIssue, row: object): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .updateTable("test_issues")
        .set(row)
        .where("test_sk", "=", sk)
        .where("lease_owner", "=", claim)
        .execute(),
    );
  }
}
