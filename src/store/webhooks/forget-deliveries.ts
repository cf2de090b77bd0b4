import type { Tx } from "../sqlite/schema.ts";

/** Deletes at most `limit` deliveries that ended before these times, or belong to removed endpoints. */
export async function forgetDeliveries(
  tx: Tx,
  before: { readonly delivered: number; readonly parked: number },
  limit: number,
): Promise<number> {
  let room = limit;
  for (const state of ["delivered", "parked"] as const) {
    const { numDeletedRows } = await tx
      .deleteFrom("webhook_deliveries")
      .where("id", "in", (old) =>
        old
          .selectFrom("webhook_deliveries")
          .select("id")
          .where("state", "=", state)
          .where("ended_at", "<", before[state])
          .limit(room),
      )
      .executeTakeFirst();
    room -= Number(numDeletedRows);
  }
  return limit - room + (await forgetRemoved(tx, room));
}

/** Deletes the deliveries of removed endpoints, and the endpoints that have none left. */
async function forgetRemoved(tx: Tx, limit: number): Promise<number> {
  const removed = await tx
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("deleted_at", "is not", null)
    .execute();
  let room = limit;
  for (const { id } of removed) {
    if (room <= 0) break;
    const { numDeletedRows } = await tx
      .deleteFrom("webhook_deliveries")
      .where("id", "in", (own) =>
        own.selectFrom("webhook_deliveries").select("id").where("endpoint_id", "=", id).limit(room),
      )
      .executeTakeFirst();
    room -= Number(numDeletedRows);
    if (room > 0) await tx.deleteFrom("webhook_endpoints").where("id", "=", id).execute();
  }
  return limit - room;
}
