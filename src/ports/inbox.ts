import type { MeterStep } from "./meter-store.ts";
import type { Claim } from "./outbox.ts";

/** A webhook delivery, or the same fact found by polling. */
export interface Delivery {
  /** The delivery's GUID, or one made up by the poller. Unique. */
  readonly id: string;
  /** `issue_comment`, `check_run`, … */
  readonly event: string;
  readonly action: string | null;
  /** What it is about, when the same fact can come in twice under different ids: `issue_comment/17`. Unique. */
  readonly subject: string | null;
  /** Deliveries of one stream are handled one at a time, in order of arrival. Begins with `owner/` in lower case. */
  readonly stream: string;
  /** The payload as JSON text. */
  readonly payload: string;
  readonly receivedAt: number;
}

/** A delivery as the worker names it that has claimed it; as in `ClaimedRow`. */
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

/** Durable webhook deliveries: acknowledged once they are here, handled afterwards. */
export interface Inbox {
  /** With what is to be counted if it is new. `known`: the id or the subject is here already, and nothing was written. Durable when the promise resolves. */
  add(delivery: Delivery, counts?: readonly MeterStep[]): Promise<"added" | "known">;
  claim(claim: Claim): Promise<readonly InboxRow[]>;
  /**
   * Handled, and counted. The id and the subject stay known. This and the following change nothing when the row was settled,
   * given back, or claimed by another.
   */
  settle(row: ClaimedDelivery, counts?: readonly MeterStep[]): Promise<void>;
  postpone(row: ClaimedDelivery, notBefore: number, error: string): Promise<void>;
  /** Keeps a lease for longer. */
  renew(row: ClaimedDelivery, leaseUntil: number): Promise<void>;
  /** Given up: kept for people to look at, never claimed again. */
  park(row: ClaimedDelivery, error: string): Promise<void>;
  nextDue(): Promise<number | null>;
  /** What is unfinished, stream by stream: how many there are, and when the first came in. */
  backlog(): Promise<readonly InboxBacklog[]>;
  depth(): Promise<number>;
  /** Forgets what was handled before a time. */
  forget(before: number): Promise<number>;
}
