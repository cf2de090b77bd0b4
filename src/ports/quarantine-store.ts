import type { StatusChange } from "../flaky/detection/status.ts";
import type { Quarantine, QuarantineMode } from "../flaky/quarantine/decide-quarantine.ts";
import type { QuarantineSettings } from "../flaky/quarantine/settings.ts";
import type { NamedTest } from "./test-result-store.ts";
import type { Announcement } from "./webhook-message.ts";

/** A test as quarantine sees it. */
export interface QuarantineCandidate extends NamedTest {
  readonly sk: number;
  readonly mode: QuarantineMode;
  readonly status: StatusChange;
  /** When its runs last showed that it is flaky; null = never. */
  readonly provenAt: number | null;
  readonly isQuarantined: boolean;
  /** The one that holds, or the last one that ended by its expiry or since the test broke. */
  readonly quarantine: Quarantine | null;
  readonly ticketUrl: string | null;
}

/** What becomes of a test's quarantine. */
export interface QuarantineRevision {
  readonly sk: number;
  readonly mode: QuarantineMode;
  readonly isQuarantined: boolean;
  readonly quarantine: Quarantine | null;
}

/** All of a repository that decides about its quarantines. */
export interface QuarantineScene {
  /** Tests that are flaky, quarantined by detection, past the end of their quarantine, or requested by id. */
  readonly candidates: readonly QuarantineCandidate[];
  /** How many tests the repository has. */
  readonly tests: number;
  /** What the repository has set. */
  readonly settings: QuarantineSettings;
}

export interface QuarantinePlan {
  readonly revisions: readonly QuarantineRevision[];
  /** Whether a flaky test found no room; null = it was not looked at. */
  readonly isBudgetSpent: boolean | null;
  /** Who is told of it, in the same transaction. */
  readonly announces?: Announcement;
}

/** What is forgiven. */
export interface QuarantineStore {
  /**
   * Shows `plan` the scene and does what it says, in one transaction. Beside those that matter to the budget, it shows the
   * tests with these ids, if there are such.
   *
   * @param plan is pure.
   */
  revise(
    repositoryId: number,
    ids: readonly string[],
    at: number,
    plan: (scene: QuarantineScene) => QuarantinePlan,
  ): Promise<QuarantinePlan>;
  /** Repositories of which `revise` has something to decide: a history was settled since the last time, or a quarantine has expired. */
  due(at: number): Promise<readonly number[]>;
  /** A test by its id; null when there is none. */
  find(repositoryId: number, id: string): Promise<QuarantineCandidate | null>;
  /** Up to `limit` tests with an id above one, by id, that are quarantined or have a mode of their own or a ticket. */
  list(repositoryId: number, afterId: string, limit: number): Promise<readonly QuarantineCandidate[]>;
  /** False when there is no such test. */
  linkTicket(repositoryId: number, id: string, url: string | null): Promise<boolean>;
  /** The same for many tests, by id, in several short transactions. Can be repeated. */
  linkTickets(repositoryId: number, tickets: ReadonlyMap<string, string>): Promise<void>;
}
