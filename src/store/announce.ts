import type { Announcement, WebhookMessage } from "../ports/webhook-message.ts";
import { parseStored } from "./corrupt-row.ts";
import { Prepared } from "./prepared.ts";
import type { Tx } from "./schema.ts";

/** How long a message is tried again. */
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
 * Adds messages for each endpoint of the organisation that wants them, as part of a larger write.
 *
 * Invariant, as in leased-queue.ts: `due_at` is set on the first waiting row of each endpoint's stream and on no other, so that
 * what can be claimed is a range of an index. Different from there: rows stay when they have ended, and each endpoint's are
 * claimed by themselves.
 */
export async function announce(tx: Tx, { organisation, messages }: Announcement): Promise<void> {
  const { rows: endpoints } = await endpointsOf.run(tx, { organisation: organisation.toLowerCase() });
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
  await tx
    .insertInto("webhook_deliveries")
    .values({
      ...{ endpoint_id: endpointId, message_id: messageId, type, stream, payload },
      state: "waiting",
      created_at: at,
      give_up_at: at + patienceMs,
      not_before: at,
      due_at: isFirst ? at : null,
    })
    .onConflict((known) => known.doNothing())
    .execute();
}

function isWanted(type: string, events: readonly string[]): boolean {
  return events.some((wanted) => wanted === "*" || wanted === type || wanted === `${type.split(".")[0]}.*`);
}

/** The row of a stream that is sent before the others of it. */
export async function firstWaiting(tx: Tx, endpointId: string, stream: string): Promise<number | null> {
  const first = await tx
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("endpoint_id", "=", endpointId)
    .where("stream", "=", stream)
    .where("state", "=", "waiting")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return first?.id ?? null;
}

/** Lets the first waiting row of a stream be claimed, if that is not so already. */
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
