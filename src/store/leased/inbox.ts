import { CorruptRow } from "../queries/corrupt-row.ts";
import type { Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { LeasedQueue } from "./leased-queue.ts";
import type { LeasedRow } from "./leased-row.ts";
import { addSteps, type MeterStep } from "./meter-store.ts";
import type { Claim, ClaimedRow } from "./outbox.ts";

/** A webhook delivery, or the same fact found by polling. */
export interface Delivery {
  /** The delivery's GUID, or an id that the poller generated. Unique. */
  readonly id: string;
  /** `issue_comment`, `check_run`, … */
  readonly event: string;
  readonly action: string | null;
  /**
   * Identifies the content, for content that can arrive twice under different ids: `issue_comment/17`.
   * Unique.
   */
  readonly subject: string | null;
  /**
   * Deliveries of one stream are handled one at a time, in order of arrival. Starts with `owner/` in lower
   * case.
   */
  readonly stream: string;
  /** The payload as JSON text. */
  readonly payload: string;
  readonly receivedAt: number;
}

/** A delivery under a worker's claim; as in `ClaimedRow`. */
export interface ClaimedDelivery {
  readonly row: number;
  readonly claim: string;
}

export interface InboxRow extends Delivery, ClaimedDelivery {
  readonly attempts: number;
}

export interface InboxBacklog {
  readonly stream: string;
  readonly rows: number;
  readonly wantedAt: number | null;
}

/**
 * Why a delivery was given up: the code host did not answer for a day, it denied access, the payload has an
 * unexpected form, or handling failed repeatedly for another reason, which is a bug of ours.
 */
export type GivenUpCode = "CODE_HOST_ABSENT" | "CODE_HOST_DENIED" | "PAYLOAD_UNREADABLE" | "NOT_HANDLED";

export interface GiveUp {
  readonly code: GivenUpCode;
  readonly error: string;
  readonly at: number;
}

export interface GivenUpDelivery {
  readonly id: string;
  readonly event: string;
  readonly action: string | null;
  readonly stream: string;
  readonly receivedAt: number;
  readonly givenUpAt: number;
  readonly code: GivenUpCode;
}

/** The content of each row is a delivery id. The delivery stays when the row is deleted. */
const queue = new LeasedQueue("inbox");

/** Durable webhook deliveries. They are acknowledged once stored, and handled afterwards. */
export class Inbox extends SqlStore {
  /**
   * Stores a delivery, and adds `counts` if it is new. `known`: the id is already stored. `repeated`: the
   * subject is already stored under another id. In both cases nothing is written. Durable when the promise
   * resolves.
   */
  async add(delivery: Delivery, counts: readonly MeterStep[] = []): Promise<"added" | "known" | "repeated"> {
    return await this.writes.run(async (tx) => {
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
      if (inserted.numInsertedOrUpdatedRows === 0n) {
        const same = tx.selectFrom("deliveries").select("id").where("id", "=", delivery.id);
        return (await same.executeTakeFirst()) ? "known" : "repeated";
      }
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
    if (!(await queue.isAnyDue(this.db, claim.now))) return [];
    return await this.writes.run(async (tx) => {
      const rows: InboxRow[] = [];
      for (const row of await queue.claim(tx, claim)) rows.push(await withDelivery(tx, row));
      return rows;
    });
  }

  /**
   * Marks a delivery as handled, and adds `counts`. The id and the subject stay known. This method and the
   * following change nothing when the row was settled, given back, or claimed by another worker.
   */
  async settle(row: ClaimedDelivery, counts: readonly MeterStep[] = []): Promise<void> {
    await this.writes.run(async (tx) => {
      const settled = await queue.settle(tx, leased(row));
      if (!settled) return;
      await addSteps(tx, counts);
      await tx
        .updateTable("deliveries")
        // The time of handling is not known; the time of the claim is the closest.
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
    const postponement = { row: leased(row), notBefore, error, failedAs: null };
    await this.writes.run((tx) => queue.postponeAll(tx, [postponement]));
  }

  async renew(row: ClaimedDelivery, leaseUntil: number): Promise<void> {
    await this.writes.run((tx) => queue.renew(tx, leased(row), leaseUntil));
  }

  /**
   * Gives a delivery up, and adds `counts`. It is kept for people to look at, deleted after the same time as
   * handled ones, and never claimed again.
   */
  async park(
    row: ClaimedDelivery,
    { code, error, at }: GiveUp,
    counts: readonly MeterStep[] = [],
  ): Promise<void> {
    await this.writes.run(async (tx) => {
      const parked = await queue.settle(tx, leased(row));
      if (!parked) return;
      await addSteps(tx, counts);
      await tx
        .updateTable("deliveries")
        .set({ state: "parked", code, error, handled_at: at })
        .where("id", "=", parked.content)
        .execute();
    });
  }

  /**
   * The deliveries of these events about a repository's pull requests (`owner/name` in lower case) that are neither handled nor given up,
   * in order of arrival. Includes deliveries that a worker has claimed.
   *
   * @param actions deliveries with other actions are left out
   */
  async unhandled(
    repository: string,
    events: readonly string[],
    actions: readonly string[],
  ): Promise<readonly Delivery[]> {
    const rows = await this.db
      .selectFrom("inbox")
      .innerJoin("deliveries", "deliveries.id", "inbox.content")
      .select(["deliveries.id", "event", "action", "subject", "inbox.stream", "payload"])
      .select("received_at as receivedAt")
      .where("inbox.stream", ">=", `${repository}#`)
      .where("inbox.stream", "<", `${repository}$`)
      .where("event", "in", events)
      .where((row) => row.or([row("action", "is", null), row("action", "in", actions)]))
      .orderBy("inbox.id")
      .execute();
    return rows.map(({ payload, ...row }) => ({ ...row, payload: payload ?? "{}" }));
  }

  /** Like `Outbox.hasten`, for one prefix. */
  async hasten(streams: string, notBefore: number): Promise<void> {
    await this.writes.run((tx) => queue.hasten(tx, streams, notBefore));
  }

  /** The given-up deliveries of a repository (`owner/name` in lower case), newest first. */
  async givenUp(repository: string, limit: number): Promise<readonly GivenUpDelivery[]> {
    const rows = await this.db
      .selectFrom("deliveries")
      .select(["id", "event", "action", "stream", "code"])
      .select(["received_at as receivedAt", "handled_at as handledAt"])
      .where("code", "is not", null)
      .where((row) =>
        row.or([
          row.and([row("stream", ">=", `${repository}#`), row("stream", "<", `${repository}$`)]),
          row.and([row("stream", ">=", `${repository}/`), row("stream", "<", `${repository}0`)]),
        ]),
      )
      .orderBy("handled_at", "desc")
      .limit(limit)
      .execute();
    return rows.map(({ code, handledAt, ...row }) => ({
      ...row,
      // Rows that were given up have both, so the defaults are never used.
      code: code ?? "NOT_HANDLED",
      givenUpAt: handledAt ?? row.receivedAt,
    }));
  }

  /** The number of given-up deliveries of each stream that has any. */
  countGivenUpByStream(): Promise<readonly { readonly stream: string; readonly rows: number }[]> {
    return this.db
      .selectFrom("deliveries")
      .select("stream")
      .select((row) => row.fn.countAll<number>().as("rows"))
      .where("code", "is not", null)
      .groupBy("stream")
      .execute();
  }

  /** The number of given-up deliveries of an owner, in lower case. */
  async countGivenUp(owner: string): Promise<number> {
    const counted = await this.db
      .selectFrom("deliveries")
      .select((row) => row.fn.countAll<number>().as("rows"))
      .where("code", "is not", null)
      .where("stream", ">=", `${owner}/`)
      .where("stream", "<", `${owner}0`)
      .executeTakeFirstOrThrow();
    return Number(counted.rows);
  }

  nextDue(): Promise<number | null> {
    return queue.nextDue(this.db);
  }

  /** For each stream with unfinished deliveries: their number, and when the first arrived. */
  backlog(): Promise<readonly InboxBacklog[]> {
    return queue.backlog(this.db);
  }

  depth(): Promise<number> {
    return queue.depth(this.db);
  }

  /** Deletes deliveries that were handled or given up before a time. */
  async forget(before: number): Promise<number> {
    return await this.writes.run(async (tx) => {
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
