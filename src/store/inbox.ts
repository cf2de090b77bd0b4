import type { ClaimedDelivery, Delivery, Inbox, InboxBacklog, InboxRow } from "../ports/inbox.ts";
import type { MeterStep } from "../ports/meter-store.ts";
import type { Claim, ClaimedRow } from "../ports/outbox.ts";
import { CorruptRow } from "./corrupt-row.ts";
import type { Writes } from "./group-commit.ts";
import { LeasedQueue } from "./leased-queue.ts";
import type { LeasedRow } from "./leased-row.ts";
import { addSteps } from "./meter-store.ts";
import type { Database, Tx } from "./schema.ts";

/** The content of its rows is the id of a delivery: that stays when its row goes. */
const queue = new LeasedQueue("inbox");

export class SqlInbox implements Inbox {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  async add(delivery: Delivery, counts: readonly MeterStep[] = []): Promise<"added" | "known"> {
    return await this.#writes.run(async (tx) => {
      const inserted = await tx
        .insertInto("deliveries")
        .values({
          id: delivery.id,
          event: delivery.event,
          action: delivery.action,
          subject: delivery.subject,
          stream: delivery.stream,
          payload: delivery.payload,
          received_at: delivery.receivedAt,
          state: "waiting",
        })
        .onConflict((known) => known.doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows === 0n) return "known";
      await queue.add(tx, {
        stream: delivery.stream,
        content: delivery.id,
        notBefore: delivery.receivedAt,
        coalesce: false,
      });
      await addSteps(tx, counts);
      return "added";
    });
  }

  async claim(claim: Claim): Promise<readonly InboxRow[]> {
    if (!(await queue.isAnyDue(this.#db, claim.now))) return [];
    return await this.#writes.run(async (tx) => {
      const rows: InboxRow[] = [];
      for (const row of await queue.claim(tx, claim)) rows.push(await withDelivery(tx, row));
      return rows;
    });
  }

  async settle(row: ClaimedDelivery, counts: readonly MeterStep[] = []): Promise<void> {
    await this.#writes.run(async (tx) => {
      const settled = await queue.settle(tx, leased(row));
      if (!settled) return;
      await addSteps(tx, counts);
      await tx
        .updateTable("deliveries")
        // Nothing says when it was handled; the time at which it was taken up comes closest.
        .set((delivery) => ({
          state: "handled",
          payload: null,
          handled_at: settled.claimedAt ?? delivery.ref("received_at"),
        }))
        .where("id", "=", settled.content)
        .execute();
    });
  }

  async postpone(row: ClaimedDelivery, notBefore: number, error: string): Promise<void> {
    await this.#writes.run((tx) => queue.postpone(tx, leased(row), notBefore, error));
  }

  async renew(row: ClaimedDelivery, leaseUntil: number): Promise<void> {
    await this.#writes.run((tx) => queue.renew(tx, leased(row), leaseUntil));
  }

  async park(row: ClaimedDelivery, error: string): Promise<void> {
    await this.#writes.run(async (tx) => {
      const parked = await queue.settle(tx, leased(row));
      if (!parked) return;
      await tx
        .updateTable("deliveries")
        .set({ state: "parked", error })
        .where("id", "=", parked.content)
        .execute();
    });
  }

  nextDue(): Promise<number | null> {
    return queue.nextDue(this.#db);
  }

  backlog(): Promise<readonly InboxBacklog[]> {
    return queue.backlog(this.#db);
  }

  depth(): Promise<number> {
    return queue.depth(this.#db);
  }

  async forget(before: number): Promise<number> {
    return await this.#writes.run(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom("deliveries")
        .where("handled_at", "<", before)
        .executeTakeFirst();
      return Number(numDeletedRows);
    });
  }
}

function leased({ row, claim }: ClaimedDelivery): ClaimedRow {
  return { id: row, claim };
}

async function withDelivery(tx: Tx, { id, claim, content, stream, attempts }: LeasedRow): Promise<InboxRow> {
  const delivery = await tx
    .selectFrom("deliveries")
    .select(["id", "event", "action", "subject", "payload", "received_at as receivedAt"])
    .where("id", "=", content)
    .executeTakeFirst();
  if (!delivery || delivery.payload === null) {
    throw new CorruptRow(`inbox row ${id}`, `names delivery ${content}, which has no payload`);
  }
  const { payload } = delivery;
  return { ...delivery, payload, row: id, claim, stream, attempts };
}
