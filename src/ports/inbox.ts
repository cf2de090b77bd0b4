import type { MeterStep } from "./meter-store.ts";
import type { Claim } from "./outbox.ts";

/** A webhook delivery, or the same fact found by polling. */
export interface Delivery {
  /** The delivery's GUID, or one made up by the poller. Unique. */
  readonly id: string;
  /** `issue_comment`, `check_run`, … */
  readonly event: string;
  readonly action: string | null;
  /** What it says, when the same can come in twice under different ids: `issue_comment/17`. Unique. */
  readonly subject: string | null;
  /** Deliveries of one stream are handled one at a time, in order of arrival. Begins with `owner/` in lower case. */
  readonly stream: string;
  /** The payload as JSON text. */
  readonly payload: string;
  readonly receivedAt: number;
}

export interface InboxRow extends Delivery {
  readonly row: number;
  readonly attempts: number;
}

export interface InboxBacklog {
  readonly stream: string;
  readonly rows: number;
  readonly wantedAt: number | null;
}

/** Durable webhook deliveries: acknowledged once they are here, handled afterwards. */
export interface Inbox {
  /**
   * With what is to be counted if it is new. `known`: the id is here already, `repeated`: the subject is, under another id; nothing was
   * written. Durable when the promise resolves.
   */
  add(delivery: Delivery, counts?: readonly MeterStep[]): Promise<"added" | "known" | "repeated">;
  claim(claim: Claim): Promise<readonly InboxRow[]>;
  /** Handled, and counted. The id and the subject stay known. */
  settle(row: number, counts?: readonly MeterStep[]): Promise<void>;
  postpone(row: number, notBefore: number, error: string): Promise<void>;
  /** Keeps a lease for longer. */
  renew(row: number, leaseUntil: number): Promise<void>;
  /** Given up: kept for people to look at, never claimed again. */
  park(row: number, error: string): Promise<void>;
  nextDue(): Promise<number | null>;
  /** What is unfinished, stream by stream: how many there are, and when the first came in. */
  backlog(): Promise<readonly InboxBacklog[]>;
  depth(): Promise<number>;
  /** Forgets what was handled before a time. */
  forget(before: number): Promise<number>;
}
