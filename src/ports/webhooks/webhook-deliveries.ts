import type { Claim, ClaimedRow } from "../outbox.ts";
import type { Announcement } from "./webhook-message.ts";

export type WebhookDeliveryState =
  /** Not accepted yet; it will be sent, possibly again. */
  | "waiting"
  /** The endpoint has accepted it. */
  | "delivered"
  /** Given up; it can be resent manually. */
  | "parked";

/** A message to be sent to an endpoint. */
export interface WebhookDelivery {
  /** Its position among all deliveries. Resending manually assigns a new one. */
  readonly id: number;
  readonly endpointId: string;
  readonly messageId: string;
  readonly type: string;
  readonly payload: string;
  readonly state: WebhookDeliveryState;
  readonly createdAt: number;
  /** A failure at or after this time parks the message. */
  readonly giveUpAt: number;
  /** It is not sent before this time. */
  readonly notBefore: number;
  readonly attempts: number;
  /** The endpoint's last HTTP status; null when it did not respond. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** When it was delivered or parked. */
  readonly endedAt: number | null;
}

/** A message that a worker has claimed to send. */
export interface ClaimedMessage extends WebhookDelivery, ClaimedRow {}

/** How an attempt ended. */
export interface Attempt {
  readonly at: number;
  readonly status: number | null;
  /** Null when the message was accepted. */
  readonly error: string | null;
}

export interface DeliveryQuery {
  /** Null means any state. */
  readonly state: WebhookDeliveryState | null;
  /** Only deliveries before this id; null means from the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** Messages to endpoints. They are durable, and ordered within a stream for each endpoint. */
export interface WebhookDeliveries {
  /**
   * Adds the messages for each endpoint that subscribes to them. `QueueStore.commit` does so in its own
   * transaction.
   */
  announce(announcement: Announcement): Promise<void>;
  /**
   * Leases due messages of enabled endpoints: the first of each stream, and per endpoint at most as many as
   * it has room for, so that failing endpoints do not take capacity from others.
   */
  claim(
    claim: Omit<Claim, "limit">,
    room: (endpointId: string) => number,
  ): Promise<readonly ClaimedMessage[]>;
  /**
   * This method and the following change nothing when the message has ended, was given back, or was claimed
   * by another worker.
   */
  renew(message: ClaimedRow, leaseUntil: number): Promise<void>;
  /** Marks the message as accepted, or schedules it for `retryAt`, or parks it when that is null. */
  conclude(message: ClaimedRow, attempt: Attempt, retryAt: number | null): Promise<void>;
  /** When the next message of each enabled endpoint can be claimed; null when none waits. */
  nextDue(): Promise<ReadonlyMap<string, number | null>>;
  /** Newest first. */
  list(endpointId: string, query: DeliveryQuery): Promise<readonly WebhookDelivery[]>;
  /**
   * Puts the message at the end of its stream, to be sent now and retried until `giveUpAt`; null when there
   * is none.
   */
  resend(
    endpointId: string,
    messageId: string,
    now: number,
    giveUpAt: number,
  ): Promise<WebhookDelivery | null>;
  /**
   * Deletes at most `limit` deliveries that were delivered before one time, parked before another, or belong
   * to a removed endpoint. Returns the number deleted.
   */
  forget(delivered: number, parked: number, limit: number): Promise<number>;
}
