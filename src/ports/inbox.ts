import type { MeterStep } from "./meter-store.ts";
import type { Claim } from "./outbox.ts";

/** A webhook delivery, or the same fact found by polling. */
export interface Delivery {
  /** The delivery's GUID, or an id that the poller generated. Unique. */
  readonly id: string;
  /** `issue_comment`, `check_run`, … */
  readonly event: string;
  readonly action: string | null;
  /**
   * Identifies the content, for content that can arrive twice under different ids: `issue_comment/17`.
   * Unique.
   */
  readonly subject: string | null;
  /**
   * Deliveries of one stream are handled one at a time, in order of arrival. Starts with `owner/` in lower
   * case.
   */
  readonly stream: string;
  /** The payload as JSON text. */
  readonly payload: string;
  readonly receivedAt: number;
}

/** A delivery under a worker's claim; as in `ClaimedRow`. */
export interface ClaimedDelivery {
  readonly row: number;
  readonly claim: string;
}

export interface InboxRow extends Delivery, ClaimedDelivery {
  readonly attempts: number;
}

export interface InboxBacklog {
  readonly stream: string;
  readonly rows: number;
  readonly wantedAt: number | null;
}

/**
 * Why a delivery was given up: the code host did not answer for a day, it denied access, the payload has an
 * unexpected form, or handling failed repeatedly for another reason, which is a bug of ours.
 */
export type GivenUpCode = "CODE_HOST_ABSENT" | "CODE_HOST_DENIED" | "PAYLOAD_UNREADABLE" | "NOT_HANDLED";

export interface GiveUp {
  readonly code: GivenUpCode;
  readonly error: string;
  readonly at: number;
}

export interface GivenUpDelivery {
  readonly id: string;
  readonly event: string;
  readonly action: string | null;
  readonly stream: string;
  readonly receivedAt: number;
  readonly givenUpAt: number;
  readonly code: GivenUpCode;
}

/** Durable webhook deliveries. They are acknowledged once stored, and handled afterwards. */
export interface Inbox {
  /**
   * Stores a delivery, and adds `counts` if it is new. `known`: the id is already stored. `repeated`: the
   * subject is already stored under another id. In both cases nothing is written. Durable when the promise
   * resolves.
   */
  add(delivery: Delivery, counts?: readonly MeterStep[]): Promise<"added" | "known" | "repeated">;
  claim(claim: Claim): Promise<readonly InboxRow[]>;
  /**
   * Marks a delivery as handled, and adds `counts`. The id and the subject stay known. This method and the
   * following change nothing when the row was settled, given back, or claimed by another worker.
   */
  settle(row: ClaimedDelivery, counts?: readonly MeterStep[]): Promise<void>;
  postpone(row: ClaimedDelivery, notBefore: number, error: string): Promise<void>;
  /** Extends a lease. */
  renew(row: ClaimedDelivery, leaseUntil: number): Promise<void>;
  /**
   * Gives a delivery up, and adds `counts`. It is kept for people to look at, deleted after the same time as
   * handled ones, and never claimed again.
   */
  park(row: ClaimedDelivery, why: GiveUp, counts?: readonly MeterStep[]): Promise<void>;
  /**
   * The deliveries of these events about a repository's pull requests (`owner/name` in lower case) that are neither handled nor given
   * up, in order of arrival. Those that a worker has claimed are among them.
   *
   * @param actions those with another action are left out
   */
  unhandled(
    repository: string,
    events: readonly string[],
    actions: readonly string[],
  ): Promise<readonly Delivery[]>;
  /** As in `Outbox`, for one prefix. */
  hasten(streams: string, notBefore: number): Promise<void>;
  /** The given-up deliveries of a repository (`owner/name` in lower case), newest first. */
  givenUp(repository: string, limit: number): Promise<readonly GivenUpDelivery[]>;
  /** The number of given-up deliveries of an owner, in lower case. */
  countGivenUp(owner: string): Promise<number>;
  nextDue(): Promise<number | null>;
  /** The unfinished deliveries of each stream: their number, and when the first arrived. */
  backlog(): Promise<readonly InboxBacklog[]>;
  depth(): Promise<number>;
  /** Deletes deliveries that were handled or given up before a time. */
  forget(before: number): Promise<number>;
}
