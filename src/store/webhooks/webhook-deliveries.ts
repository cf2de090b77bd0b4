import type { Announcement } from "../../ports/webhooks/webhook-message.ts";
import { newClaim } from "../leased/new-claim.ts";
import type { Claim, ClaimedRow } from "../leased/outbox.ts";
import { Prepared } from "../queries/prepared.ts";
import { announce, firstWaiting, letNextGo } from "../queue/announce.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { forgetDeliveries } from "./forget-deliveries.ts";

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

/** The maximum stored length of an error message. */
const maxErrorLength = 500;

const columns = [
  "id",
  "endpoint_id as endpointId",
  "message_id as messageId",
  "type",
  "payload",
  "state",
  "created_at as createdAt",
  "give_up_at as giveUpAt",
  "not_before as notBefore",
  "attempts",
  "last_status as lastStatus",
  "last_error as lastError",
  "ended_at as endedAt",
] as const;

const nextDue = new Prepared((db, _at: object) =>
  db
    .selectFrom("webhook_endpoints as endpoint")
    .select((endpoint) => [
      "endpoint.id",
      endpoint
        .selectFrom("webhook_deliveries as delivery")
        .select((delivery) => delivery.fn.min("delivery.due_at").as("due_at"))
        .whereRef("delivery.endpoint_id", "=", "endpoint.id")
        .where("delivery.due_at", "is not", null)
        .as("due_at"),
    ])
    .where("endpoint.enabled", "=", 1)
    .where("endpoint.deleted_at", "is", null),
);

/** Messages to endpoints. They are durable, and ordered within a stream for each endpoint. */
export class WebhookDeliveries extends SqlStore {
  /**
   * Adds the messages for each endpoint that subscribes to them. `QueueStore.commit` does so in its own
   * transaction.
   */
  async announce(announcement: Announcement): Promise<void> {
    await this.writes.run((tx) => announce(tx, announcement));
  }

  /**
   * Leases due messages of enabled endpoints: the first of each stream, and per endpoint at most as many as
   * it has room for, so that failing endpoints do not take capacity from others.
   */
  async claim(
    claim: Omit<Claim, "limit">,
    room: (endpointId: string) => number,
  ): Promise<readonly ClaimedMessage[]> {
    const { owner, now, leaseMs } = claim;
    const due = [...(await this.nextDue())].filter(([, at]) => at !== null && at <= now);
    const limits = due.map(([id]) => ({ id, limit: room(id) })).filter(({ limit }) => limit > 0);
    if (limits.length === 0) return [];
    return await this.writes.run(async (tx) => {
      const claimed: WebhookDelivery[] = [];
      for (const { id, limit } of limits) {
        const rows = await tx
          .selectFrom("webhook_deliveries")
          .select(columns)
          .where("endpoint_id", "=", id)
          .where("due_at", "<=", now)
          .orderBy("due_at")
          .orderBy("id")
          .limit(limit)
          .execute();
        claimed.push(...rows);
      }
      const leaseUntil = now + leaseMs;
      const held = newClaim(owner);
      for (const { id } of claimed) {
        await tx
          .updateTable("webhook_deliveries")
          .set({ lease_owner: held, lease_until: leaseUntil, due_at: leaseUntil })
          .where("id", "=", id)
          .execute();
      }
      return claimed.map((row) => ({ ...row, claim: held }));
    });
  }

  /** This method and the following ones change nothing when the message has ended, was given back, or was claimed by another worker. */
  async renew({ id, claim }: ClaimedRow, leaseUntil: number): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .updateTable("webhook_deliveries")
        .set({ lease_until: leaseUntil, due_at: leaseUntil })
        .where("id", "=", id)
        .where("lease_owner", "=", claim)
        .execute(),
    );
  }

  /** Marks the message as accepted, or schedules it for `retryAt`, or parks it when that is null. */
  async conclude(
    { id, claim }: ClaimedRow,
    { at, status, error }: Attempt,
    retryAt: number | null,
  ): Promise<void> {
    const state = error === null ? "delivered" : retryAt === null ? "parked" : "waiting";
    const hasEnded = state !== "waiting";
    await this.writes.run(async (tx) => {
      const row = await tx
        .updateTable("webhook_deliveries")
        .set((delivery) => ({
          state,
          attempts: delivery("attempts", "+", 1),
          lease_owner: null,
          lease_until: null,
          last_status: status,
          last_error: error?.slice(0, maxErrorLength) ?? null,
          ...(hasEnded ? { due_at: null, ended_at: at } : { due_at: retryAt, not_before: retryAt ?? at }),
        }))
        .where("id", "=", id)
        .where("lease_owner", "=", claim)
        .returning(["endpoint_id", "stream"])
        .executeTakeFirst();
      if (!row) return;
      if (hasEnded) await letNextGo(tx, row.endpoint_id, row.stream);
      await tx
        .updateTable("webhook_endpoints")
        .set((endpoint) => ({
          delivered: endpoint("delivered", "+", state === "delivered" ? 1 : 0),
          failed: endpoint("failed", "+", error === null ? 0 : 1),
          parked: endpoint("parked", "+", state === "parked" ? 1 : 0),
        }))
        .where("id", "=", row.endpoint_id)
        .execute();
    });
  }

  /** When the next message of each enabled endpoint can be claimed; null when none waits. */
  async nextDue(): Promise<ReadonlyMap<string, number | null>> {
    const { rows } = await nextDue.run(this.db, {});
    return new Map(rows.map(({ id, due_at }) => [id, due_at]));
  }

  /** Newest first. */
  async list(endpointId: string, query: DeliveryQuery): Promise<readonly WebhookDelivery[]> {
    let rows = this.db
      .selectFrom("webhook_deliveries")
      .select(columns)
      .where("endpoint_id", "=", endpointId)
      .orderBy("id", "desc")
      .limit(query.limit);
    if (query.state !== null) rows = rows.where("state", "=", query.state);
    if (query.before !== null) rows = rows.where("id", "<", query.before);
    return await rows.execute();
  }

  /**
   * Puts the message at the end of its stream, to be sent now and retried until `giveUpAt`; null when there
   * is none.
   */
  async resend(
    endpointId: string,
    messageId: string,
    now: number,
    giveUpAt: number,
  ): Promise<WebhookDelivery | null> {
    return await this.writes.run(async (tx) => {
      const row = await tx
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("endpoint_id", "=", endpointId)
        .where("message_id", "=", messageId)
        .executeTakeFirst();
      if (!row) return null;
      // Inserts a new row, so that it is last in its stream, and a worker that is sending it can settle only
      // the old row.
      await tx.deleteFrom("webhook_deliveries").where("id", "=", row.id).execute();
      await letNextGo(tx, endpointId, row.stream);
      const isFirst = (await firstWaiting(tx, endpointId, row.stream)) === null;
      const { id: _, ...same } = row;
      return await tx
        .insertInto("webhook_deliveries")
        .values({
          ...same,
          state: "waiting",
          give_up_at: giveUpAt,
          not_before: now,
          due_at: isFirst ? now : null,
          attempts: 0,
          lease_owner: null,
          lease_until: null,
          ended_at: null,
        })
        .returning(columns)
        .executeTakeFirstOrThrow();
    });
  }

  /**
   * Deletes at most `limit` deliveries that were delivered before one time, parked before another, or belong
   * to a removed endpoint. Returns the number deleted.
   */
  async forget(delivered: number, parked: number, limit: number): Promise<number> {
    return await this.writes.run((tx) => forgetDeliveries(tx, { delivered, parked }, limit));
  }
}
