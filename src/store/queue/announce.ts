import { nameKey } from "../../engine/model/names.ts";
import type { Announcement, WebhookMessage } from "../../ports/webhooks/webhook-message.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import { Prepared } from "../queries/prepared.ts";
import type { Tx } from "../sqlite/schema.ts";

/** How long a message is retried. */
const patienceMs = 24 * 60 * 60_000;

const endpointsOf = new Prepared((db, at: { organisation: string }) =>
  db
    .selectFrom("webhook_endpoints")
    .select(["id", "events"])
    .where("organisation", "=", at.organisation)
    .where("enabled", "=", 1)
    .where("deleted_at", "is", null),
);

/**
 * Adds messages for each subscribed endpoint of the organisation, as part of a larger write.
 *
 * Invariant, as in leased-queue.ts: only the first waiting row of each endpoint's stream has `due_at` set, so that the claimable rows are a
 * range of an index. In contrast to leased-queue.ts, rows stay after they have ended, and are claimed per endpoint.
 */
export async function announce(tx: Tx, { organisation, messages }: Announcement): Promise<void> {
  const { rows: endpoints } = await endpointsOf.run(tx, { organisation: nameKey(organisation) });
  if (endpoints.length === 0) return;
  const planned = messages();
  for (const { id, events } of endpoints) {
    const wanted = parseStored<readonly string[]>(events, `the events of webhook ${id}`);
    for (const message of planned) if (isWanted(message.type, wanted)) await add(tx, id, message);
  }
}

async function add(tx: Tx, endpointId: string, message: WebhookMessage): Promise<void> {
  const { id: messageId, type, stream, at, payload } = message;
  const isFirst = (await firstWaiting(tx, endpointId, stream)) === null;
  const dueAt = isFirst ? at : null;
  await insert.run(tx, {
    endpointId,
    messageId,
    type,
    stream,
    payload,
    at,
    giveUpAt: at + patienceMs,
    dueAt,
  });
}

function isWanted(type: string, events: readonly string[]): boolean {
  return events.some((wanted) => wanted === "*" || wanted === type || wanted === `${type.split(".")[0]}.*`);
}

/** The row of a stream that is sent next. */
export async function firstWaiting(tx: Tx, endpointId: string, stream: string): Promise<number | null> {
  return (await firstOf.first(tx, { endpointId, stream }))?.id ?? null;
}

/** Makes the first waiting row of a stream claimable, if it is not yet. */
export async function letNextGo(tx: Tx, endpointId: string, stream: string): Promise<void> {
  const next = await firstWaiting(tx, endpointId, stream);
  if (next === null) return;
  await tx
    .updateTable("webhook_deliveries")
    .set((row) => ({ due_at: row.ref("not_before") }))
    .where("id", "=", next)
    .where("due_at", "is", null)
    .execute();
}

const firstOf = new Prepared((db, at: { endpointId: string; stream: string }) =>
  db
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("endpoint_id", "=", at.endpointId)
    .where("stream", "=", at.stream)
    .where("state", "=", "waiting")
    .orderBy("id")
    .limit(1),
);

interface NewDelivery {
  readonly endpointId: string;
  readonly messageId: string;
  readonly type: string;
  readonly stream: string;
  readonly payload: string;
  readonly at: number;
  readonly giveUpAt: number;
  readonly dueAt: number | null;
}

const insert = new Prepared((db, row: NewDelivery) =>
  db
    .insertInto("webhook_deliveries")
    .values({
      endpoint_id: row.endpointId,
      message_id: row.messageId,
      type: row.type,
      stream: row.stream,
      payload: row.payload,
      state: "waiting",
      created_at: row.at,
      give_up_at: row.giveUpAt,
      not_before: row.at,
      due_at: row.dueAt,
    })
    .onConflict((known) => known.doNothing()),
);
