import { isStopEvent, stopEvents, stopsQueue } from "../../engine/decision.ts";
import type { Event, EventData } from "../../engine/model/event.ts";
import type { Targets } from "../../engine/model/targets.ts";
import { parseEventData, type StoredEventData } from "../../engine/snapshot.ts";
import { CorruptRow, parseStored } from "../queries/corrupt-row.ts";
import { Prepared } from "../queries/prepared.ts";
import { PreparedRows } from "../queries/prepared-rows.ts";
import { SharedQuery } from "../queries/shared-query.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { archivedBetween, archivedEvents, type LoggedEvent } from "./event-archive.ts";
import type { QueueSnapshot } from "./queue-store.ts";

/** Limits the number of parameters of one statement. */
const rowsPerSelect = 250;
/** The newest one, and the one before it for repairing a queue. */
const snapshotsKept = 2;

const append = new PreparedRows((db, rows: readonly (LoggedEvent & { readonly queueId: string })[]) =>
  db
    .insertInto("events")
    .values(rows.map(({ queueId, seq, at, content }) => ({ queue_id: queueId, seq, at, content })))
    .onConflict((taken) => taken.doNothing()),
);

const newest = new Prepared((db, at: { queueId: string }) =>
  db
    .selectFrom("events")
    .select((event) => event.fn.max("seq").as("last"))
    .where("queue_id", "=", at.queueId),
);

const after = new SharedQuery(
  new Prepared((db, at: { queueId: string; seq: number }) =>
    db
      .selectFrom("events")
      .select(["seq", "at", "content"])
      .where("queue_id", "=", at.queueId)
      .where("seq", ">", at.seq)
      .orderBy("seq"),
  ),
);

/**
 * Appends events to a queue's log. Returns false when the log already contains one of their numbers. Some may
 * then have been written, and the transaction must be rolled back.
 *
 * @throws Error when the events would leave a gap, or the queue does not exist.
 */
export async function appendEvents(tx: Tx, queueId: string, events: readonly Event[]): Promise<boolean> {
  const [first] = events;
  if (!first) return true;
  const last = await lastSeq(tx, queueId);
  if (last >= first.seq) return false;
  assertConsecutive(queueId, last, events);
  const rows = events.map(({ seq, at, data }) => ({ queueId, seq, at, content: JSON.stringify(data) }));
  const stops = events.flatMap(({ seq, data }) =>
    isStopEvent(data) ? [{ queue_id: queueId, type: data.type, seq, stops: stopsQueue(data) ? 1 : 0 }] : [],
  );
  if ((await append.run(tx, rows)) !== rows.length) return false;
  if (stops.length > 0) await tx.insertInto("queue_stops").values(stops).execute();
  return true;
}

/**
 * The events that stopped a queue or let it continue, of those from `first` to `last`, and the stops in force before `first`. At most the
 * last `limit` of each series, in order.
 */
export async function stopsBetween(
  db: Database,
  queueId: string,
  { first, last, limit }: { readonly first: number; readonly last: number; readonly limit: number },
): Promise<readonly Event[]> {
  const series = await Promise.all(
    stopEvents.map((type) =>
      db
        .selectFrom("queue_stops")
        .select(["seq", "stops"])
        .where("queue_id", "=", queueId)
        .where("type", "=", type)
        .where("seq", "<=", last)
        .orderBy("seq", "desc")
        .limit(limit)
        .execute(),
    ),
  );
  const seqs = series.flatMap((rows) => {
    const before = rows.find(({ seq }) => seq < first);
    return rows
      .filter((row) => row.seq >= first || (row === before && row.stops === 1))
      .map(({ seq }) => seq);
  });
  return eventsWith(
    db,
    queueId,
    seqs.toSorted((a, b) => a - b),
  );
}

/**
 * Every event after `seq`, in order; at most `limit` of them.
 *
 * @throws CorruptRow naming the queue and the event, when one is missing or cannot be read.
 */
export async function eventsAfter(
  db: Database,
  queueId: string,
  seq: number,
  limit?: number,
): Promise<readonly Event[]> {
  const rows = await rowsAfter(db, queueId, seq, limit);
  return rows.map((row, index) => {
    const expected = seq + 1 + index;
    if (row.seq !== expected) throw new CorruptRow(eventName(queueId, expected), "is missing");
    return parseEvent(queueId, row);
  });
}

/** The number of the first event since a time, by binary search: times have no index. If there is none, the number after the last event. */
export async function seqSince(db: Database, queueId: string, time: number): Promise<number> {
  let [low, high] = [1, (await lastSeq(db, queueId)) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await rowsAfter(db, queueId, middle - 1, 1);
    if (event && event.at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The events with these numbers, which ascend.
 *
 * @throws CorruptRow naming the queue and the event that cannot be read.
 */
export async function eventsWith(
  db: Database,
  queueId: string,
  seqs: readonly number[],
): Promise<readonly Event[]> {
  return (await rowsWith(db, queueId, seqs)).map((row) => parseEvent(queueId, row));
}

async function rowsWith(
  db: Database,
  queueId: string,
  seqs: readonly number[],
): Promise<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  for (let from = 0; from < seqs.length; from += rowsPerSelect) {
    const rows = await db
      .selectFrom("events")
      .select(["seq", "at", "content"])
      .where("queue_id", "=", queueId)
      .where("seq", "in", seqs.slice(from, from + rowsPerSelect))
      .orderBy("seq")
      .execute();
    found.push(...rows);
  }
  const logged = new Set(found.map(({ seq }) => seq));
  const missing = seqs.filter((seq) => !logged.has(seq));
  // Only events that precede the log are archived.
  return [...(await archivedEvents(db, queueId, missing)), ...found];
}

/** The log always contains the queue's last event, so the archive is read only for events before the first row of the log. */
async function rowsAfter(
  db: Database,
  queueId: string,
  seq: number,
  limit?: number,
): Promise<readonly LoggedEvent[]> {
  const rows =
    limit === undefined ? await after.run(db, { queueId, seq }) : await firstAfter(db, queueId, seq, limit);
  const first = rows[0]?.seq ?? seq + 1;
  if (first === seq + 1) return rows;
  const archived = await archivedBetween(db, queueId, seq + 1, first - 1, limit);
  return [...archived, ...rows].slice(0, limit);
}

function firstAfter(db: Database, queueId: string, seq: number, limit: number) {
  return db
    .selectFrom("events")
    .select(["seq", "at", "content"])
    .where("queue_id", "=", queueId)
    .where("seq", ">", seq)
    .orderBy("seq")
    .limit(limit)
    .execute();
}

/** @throws CorruptRow naming the queue and the event that cannot be read. */
export async function targetsOfEvents(
  db: Database,
  queueId: string,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, Targets>> {
  const found = new Map<number, Targets>();
  for (const row of await rowsWith(
    db,
    queueId,
    [...seqs].sort((a, b) => a - b),
  )) {
    const data = parseData(queueId, row);
    if ("targets" in data && data.targets !== null) found.set(row.seq, data.targets);
  }
  return found;
}

function parseEvent(queueId: string, row: LoggedEvent): Event {
  return { seq: row.seq, at: row.at, data: parseData(queueId, row) };
}

function parseData(queueId: string, { seq, content }: { seq: number; content: string }): EventData {
  const data = parseStored<StoredEventData>(content, eventName(queueId, seq));
  if (typeof data.type !== "string") throw new CorruptRow(eventName(queueId, seq), "has no type");
  return parseEventData(data);
}

export async function newestSnapshot(db: Database, queueId: string): Promise<QueueSnapshot | null> {
  const row = await db
    .selectFrom("snapshots")
    .select(["seq", "state"])
    .where("queue_id", "=", queueId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** @throws Error when the log does not contain the snapshot's last event. */
export async function insertSnapshot(tx: Tx, queueId: string, snapshot: QueueSnapshot): Promise<void> {
  const { seq, state } = snapshot;
  await tx
    .insertInto("snapshots")
    .values({ queue_id: queueId, seq, state })
    .onConflict((known) => known.columns(["queue_id", "seq"]).doUpdateSet({ state }))
    .execute();
  const newest = tx
    .selectFrom("snapshots")
    .select("seq")
    .where("queue_id", "=", queueId)
    .orderBy("seq", "desc")
    .limit(snapshotsKept);
  await tx.deleteFrom("snapshots").where("queue_id", "=", queueId).where("seq", "not in", newest).execute();
}

async function lastSeq(tx: Database, queueId: string): Promise<number> {
  const last = (await newest.first(tx, { queueId }))?.last;
  return last ?? 0;
}

function assertConsecutive(queueId: string, last: number, events: readonly Event[]): void {
  for (const [index, event] of events.entries()) {
    const expected = last + 1 + index;
    if (event.seq !== expected) {
      throw new Error(`${eventName(queueId, event.seq)} would leave a gap: ${expected} is next`);
    }
  }
}

function eventName(queueId: string, seq: number): string {
  return `event ${seq} of queue ${queueId}`;
}
