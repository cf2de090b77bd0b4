import type { StatusChange } from "../../flaky/detection/status.ts";
import type { Quarantine, QuarantineMode } from "../../flaky/quarantine/decide-quarantine.ts";
import type { QuarantineSettings } from "../../flaky/quarantine/settings.ts";
import type { Announcement } from "../webhooks/webhook-message.ts";
import type { NamedTest } from "./test-result-store.ts";

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
export interface QuarantineScene {
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

/** The quarantines: tests whose failures are forgiven. */
export interface QuarantineStore {
  /**
   * Calls `plan` with the scene and applies its result, in one transaction. The scene holds the tests that
   * matter to the budget, and the existing tests with these ids.
   *
   * @param plan must be pure.
   */
  revise(
    repositoryId: number,
    ids: readonly string[],
    at: number,
    plan: (scene: QuarantineScene) => QuarantinePlan,
  ): Promise<QuarantinePlan>;
  /**
   * Repositories for which `revise` has something to decide: a history changed since the last time, or a
   * quarantine has expired.
   */
  due(at: number): Promise<readonly number[]>;
  /** A test by its id; null when there is none. */
  find(repositoryId: number, id: string): Promise<QuarantineCandidate | null>;
  /**
   * Up to `limit` tests with an id above `afterId`, by id, that are quarantined or have their own mode or a
   * ticket.
   */
  list(repositoryId: number, afterId: string, limit: number): Promise<readonly QuarantineCandidate[]>;
  /** False when there is no such test. */
  linkTicket(repositoryId: number, id: string, url: string | null): Promise<boolean>;
  /** The same for many tests, by id, in several short transactions. Can be repeated. */
  linkTickets(repositoryId: number, tickets: ReadonlyMap<string, string>): Promise<void>;
}
