import type {
  EndpointChanges,
  EndpointCounts,
  WebhookEndpoint,
  WebhookEndpoints,
  WebhookFormat,
} from "../../ports/webhooks/webhook-endpoints.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import type { WebhookEndpointTable } from "../sqlite/webhook-schema.ts";

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

export class SqlWebhookEndpoints implements WebhookEndpoints {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  add(endpoint: WebhookEndpoint, most: number): Promise<"added" | "full"> {
    return this.#writes.run(async (tx) => {
      const there = await rowsOf(tx, endpoint.organisation).execute();
      if (there.length >= most) return "full";
      await tx.insertInto("webhook_endpoints").values(endpointRow(endpoint)).execute();
      return "added";
    });
  }

  async find(organisation: string | null, id: string): Promise<WebhookEndpoint | null> {
    const row = await rowsOf(this.#db, organisation).where("id", "=", id).executeTakeFirst();
    return row ? endpointOf(row) : null;
  }

  async list(organisation: string | null): Promise<readonly WebhookEndpoint[]> {
    return (await rowsOf(this.#db, organisation).execute()).map(endpointOf);
  }

  change(organisation: string, id: string, changes: EndpointChanges): Promise<WebhookEndpoint | null> {
    return this.#writes.run(async (tx) => {
      const row = await rowsOf(tx, organisation).where("id", "=", id).executeTakeFirst();
      if (!row) return null;
      const changed = { ...endpointOf(row), ...changes };
      await tx.updateTable("webhook_endpoints").set(endpointRow(changed)).where("id", "=", id).execute();
      return changed;
    });
  }

  remove(organisation: string, id: string, at: number): Promise<boolean> {
    return this.#writes.run(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable("webhook_endpoints")
        .set({ deleted_at: at, enabled: 0, secret: "", previous_secret: null, previous_until: null })
        .where("organisation", "=", organisation)
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
  }

  async counts(organisation: string | null): Promise<readonly EndpointCounts[]> {
    const rows = await rowsOf(this.#db, organisation).select(["delivered", "failed", "parked"]).execute();
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
    const { rows } = await this.#db
      .selectFrom("webhook_deliveries")
      .select((delivery) => delivery.fn.countAll<number>().as("rows"))
      .where("endpoint_id", "=", endpointId)
      .where("state", "=", state)
      .executeTakeFirstOrThrow();
    return Number(rows);
  }

  async #oldest(endpointId: string): Promise<number | null> {
    const row = await this.#db
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
