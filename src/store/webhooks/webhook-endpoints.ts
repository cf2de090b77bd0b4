import { parseStored } from "../queries/corrupt-row.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import type { WebhookEndpointTable } from "../sqlite/webhook-schema.ts";

/** The form of messages: our own, or that of Slack's incoming webhooks or Microsoft Teams' workflows. */
export type WebhookFormat = "json" | "slack" | "teams";

/** A URL at which an organisation receives webhooks. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Lower-case slug. */
  readonly organisation: string;
  readonly url: string;
  readonly description: string;
  readonly format: WebhookFormat;
  /** Names of events, `*`, or all events of one kind, such as `pull_request.*`. */
  readonly events: readonly string[];
  /**
   * While disabled, it receives nothing: new events are not stored for it, and messages that wait for it keep
   * waiting.
   */
  readonly enabled: boolean;
  /** Sealed. */
  readonly secret: string;
  /** The previous secret also signs until a time. Sealed. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  readonly createdAt: number;
}

export type EndpointChanges = Partial<
  Pick<WebhookEndpoint, "url" | "description" | "format" | "events" | "enabled" | "secret" | "previous">
>;

export interface EndpointCounts {
  readonly id: string;
  /** The total number ever delivered. */
  readonly delivered: number;
  /** The total number of failed attempts. */
  readonly failed: number;
  /** The total number ever given up. */
  readonly parked: number;
  readonly waiting: number;
  /** Parked messages that are still stored. */
  readonly parkedNow: number;
  /** The time since which the oldest waiting message has waited; null when none waits. */
  readonly waitingSince: number | null;
}

type EndpointRow = Omit<WebhookEndpointTable, "delivered" | "failed" | "parked">;

const columns = [
  "id",
  "organisation",
  "url",
  "description",
  "format",
  "events",
  "enabled",
  "secret",
  "previous_secret",
  "previous_until",
  "created_at",
  "deleted_at",
] as const satisfies readonly (keyof EndpointRow)[];

/** The endpoints of organisations. An organisation sees only its own. */
export class WebhookEndpoints extends SqlStore {
  /** `full`: the organisation already has the maximum number of endpoints; nothing was added. */
  add(endpoint: WebhookEndpoint, most: number): Promise<"added" | "full"> {
    return this.writes.run(async (tx) => {
      const there = await rowsOf(tx, endpoint.organisation).execute();
      if (there.length >= most) return "full";
      await tx.insertInto("webhook_endpoints").values(endpointRow(endpoint)).execute();
      return "added";
    });
  }

  /** Null also for an endpoint of another organisation. A null organisation matches all. */
  async find(organisation: string | null, id: string): Promise<WebhookEndpoint | null> {
    const row = await rowsOf(this.db, organisation).where("id", "=", id).executeTakeFirst();
    return row ? endpointOf(row) : null;
  }

  /** Oldest first; of all organisations when it is null. */
  async list(organisation: string | null): Promise<readonly WebhookEndpoint[]> {
    return (await rowsOf(this.db, organisation).execute()).map(endpointOf);
  }

  /** Null when there is no such endpoint. */
  change(
    organisation: string,
    id: string,
    changes: EndpointChanges,
  ): Promise<{ before: WebhookEndpoint; after: WebhookEndpoint } | null> {
    return this.writes.run(async (tx) => {
      const row = await rowsOf(tx, organisation).where("id", "=", id).executeTakeFirst();
      if (!row) return null;
      const before = endpointOf(row);
      const after = { ...before, ...changes };
      await tx.updateTable("webhook_endpoints").set(endpointRow(after)).where("id", "=", id).execute();
      return { before, after };
    });
  }

  /**
   * Returns the removed endpoint; null when there is none. Its secret is deleted at once, its deliveries later.
   */
  remove(organisation: string, id: string, at: number): Promise<WebhookEndpoint | null> {
    return this.writes.run(async (tx) => {
      const row = await rowsOf(tx, organisation).where("id", "=", id).executeTakeFirst();
      if (!row) return null;
      await tx
        .updateTable("webhook_endpoints")
        .set({ deleted_at: at, enabled: 0, secret: "", previous_secret: null, previous_until: null })
        .where("id", "=", id)
        .execute();
      return endpointOf(row);
    });
  }

  async counts(organisation: string | null): Promise<readonly EndpointCounts[]> {
    const rows = await rowsOf(this.db, organisation).select(["delivered", "failed", "parked"]).execute();
    return Promise.all(
      rows.map(async ({ id, delivered, failed, parked }) => {
        const [waiting, parkedNow] = await Promise.all([
          this.#count(id, "waiting"),
          this.#count(id, "parked"),
        ]);
        return { id, delivered, failed, parked, waiting, parkedNow, waitingSince: await this.#oldest(id) };
      }),
    );
  }

  async #count(endpointId: string, state: "waiting" | "parked"): Promise<number> {
    const { rows } = await this.db
      .selectFrom("webhook_deliveries")
      .select((delivery) => delivery.fn.countAll<number>().as("rows"))
      .where("endpoint_id", "=", endpointId)
      .where("state", "=", state)
      .executeTakeFirstOrThrow();
    return Number(rows);
  }

  async #oldest(endpointId: string): Promise<number | null> {
    const row = await this.db
      .selectFrom("webhook_deliveries")
      .select("created_at")
      .where("endpoint_id", "=", endpointId)
      .where("state", "=", "waiting")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    return row?.created_at ?? null;
  }
}

/** Endpoints that were not deleted, oldest first. */
function rowsOf(db: Database | Tx, organisation: string | null) {
  const all = db
    .selectFrom("webhook_endpoints")
    .select(columns)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id");
  return organisation === null ? all : all.where("organisation", "=", organisation);
}

function endpointRow(endpoint: WebhookEndpoint): EndpointRow {
  const { previous, createdAt, enabled, events, ...same } = endpoint;
  return {
    ...same,
    events: JSON.stringify(events),
    enabled: enabled ? 1 : 0,
    previous_secret: previous?.secret ?? null,
    previous_until: previous?.until ?? null,
    created_at: createdAt,
    deleted_at: null,
  };
}

function endpointOf(row: EndpointRow): WebhookEndpoint {
  const { id, organisation, url, description, secret, previous_secret, previous_until } = row;
  return {
    ...{ id, organisation, url, description, secret },
    format: row.format as WebhookFormat,
    events: parseStored<readonly string[]>(row.events, `the events of webhook ${id}`),
    enabled: row.enabled === 1,
    previous:
      previous_secret === null || previous_until === null
        ? null
        : { secret: previous_secret, until: previous_until },
    createdAt: row.created_at,
  };
}
