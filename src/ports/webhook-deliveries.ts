import type { Claim, ClaimedRow } from "./outbox.ts";
import type { Announcement } from "./webhook-message.ts";

export type WebhookDeliveryState =
  /** It was not accepted yet, and will be sent, perhaps again. */
  | "waiting"
  /** The endpoint has accepted it. */
  | "delivered"
  /** Given up; it can be sent again by hand. */
  | "parked";

/** A message on its way to an endpoint. */
export interface WebhookDelivery {
  /** Its place among all deliveries; a new one when it is sent again by hand. */
  readonly id: number;
  readonly endpointId: string;
  readonly messageId: string;
  readonly type: string;
  readonly payload: string;
  readonly state: WebhookDeliveryState;
  readonly createdAt: number;
  /** From then on, a failure parks it. */
  readonly giveUpAt: number;
  /** Not sent before. */
  readonly notBefore: number;
  readonly attempts: number;
  /** What the endpoint answered last; null when it did not answer. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** When it was delivered or parked. */
  readonly endedAt: number | null;
}

/** One that a worker sends. */
export interface ClaimedMessage extends WebhookDelivery, ClaimedRow {}

/** How an attempt ended. */
export interface Attempt {
  readonly at: number;
  readonly status: number | null;
  /** Null: it was accepted. */
  readonly error: string | null;
}

export interface DeliveryQuery {
  /** Null = in any state. */
  readonly state: WebhookDeliveryState | null;
  /** Only those before this one; null = from the newest on. */
  readonly before: number | null;
  readonly limit: number;
}

/** Messages to endpoints: durable, and for each endpoint in order within a stream. */
export interface WebhookDeliveries {
  /** Adds what happened for each endpoint that wants it. `QueueStore.commit` does so in its own transaction. */
  announce(announcement: Announcement): Promise<void>;
  /**
   * Leases due ones of enabled endpoints: of each stream the first, of each endpoint as many as it has room for, so that
   * what fails takes nothing from others.
   */
  claim(
    claim: Omit<Claim, "limit">,
    room: (endpointId: string) => number,
  ): Promise<readonly ClaimedMessage[]>;
  /** This and the following change nothing when the message has ended, was given back, or was claimed by another. */
  renew(message: ClaimedRow, leaseUntil: number): Promise<void>;
  /** Accepted, or to be sent again at a time, or parked when that is null. */
  conclude(message: ClaimedRow, attempt: Attempt, retryAt: number | null): Promise<void>;
  /** When the next one of each enabled endpoint can be claimed; null when none waits. */
  nextDue(): Promise<ReadonlyMap<string, number | null>>;
  /** Newest first. */
  list(endpointId: string, query: DeliveryQuery): Promise<readonly WebhookDelivery[]>;
  /** Puts it behind its stream, to be sent now and for as long as it takes until `giveUpAt`; null when there is none. */
  resend(
    endpointId: string,
    messageId: string,
    now: number,
    giveUpAt: number,
  ): Promise<WebhookDelivery | null>;
  /**
   * Removes at most so many of those that were delivered before one time, parked before another, or belong to an endpoint
   * that was removed. Answers how many.
   */
  forget(delivered: number, parked: number, limit: number): Promise<number>;
}
