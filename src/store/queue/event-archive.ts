import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { CorruptRow, parseJson } from "../queries/corrupt-row.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database } from "../sqlite/schema.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Events are archived in blocks of exactly this many, because long blocks compress well. */
export const eventsPerBlock = 500;

/** An event as the log contains it: the content is JSON. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly content: string;
}

interface Block {
  readonly first_seq: number;
  readonly last_seq: number;
  readonly content: Uint8Array;
}

/**
 * Compresses the oldest events of a queue if they are all older than `before`. The log keeps everything since the older of its two
 * snapshots. Two processes may do this at the same time. Returns whether a block was archived.
 */
export async function archiveBlock(
  db: Database,
  writes: Writes,
  queueId: string,
  before: number,
): Promise<boolean> {
  const events = await db
    .selectFrom("events")
    .select(["seq", "at", "content"])
    .where("queue_id", "=", queueId)
    .where("seq", "<", (query) =>
      query
        .selectFrom("snapshots")
        .where("queue_id", "=", queueId)
        .select((snapshot) => snapshot.fn.min("seq").as("oldest")),
    )
    .orderBy("seq")
    .limit(eventsPerBlock)
    .execute();
  const [first, last] = [events[0], events.at(-1)];
  if (!first || !last || events.length < eventsPerBlock || last.at >= before) return false;
  const content = await compress(JSON.stringify(events.map(({ at, content }) => [at, content])));
  const block = { queue_id: queueId, first_seq: first.seq, last_seq: last.seq, content };
  await writes.run(async (tx) => {
    await tx
      .insertInto("archived_events")
      .values(block)
      .onConflict((known) => known.doNothing())
      .execute();
    await tx.deleteFrom("events").where("queue_id", "=", queueId).where("seq", "<=", last.seq).execute();
  });
  return true;
}

/** The archived events from `first` to `last`, in order; at most `limit` of them. */
export async function archivedBetween(
  db: Database,
  queueId: string,
  first: number,
  last: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  while (found.length < limit) {
    const from = (found.at(-1)?.seq ?? first - 1) + 1;
    const block = from > last ? undefined : await blockFrom(db, queueId, from);
    if (!block) break;
    for (const event of await unpack(queueId, block))
      if (event.seq >= from && event.seq <= last && found.length < limit) found.push(event);
  }
  return found;
}

/** The archived events with these numbers, which ascend. Each block is read once. */
export async function archivedEvents(
  db: Database,
  queueId: string,
  seqs: readonly number[],
): Promise<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  for (let missing = seqs; missing[0] !== undefined; ) {
    const block = await blockFrom(db, queueId, missing[0]);
    if (!block) break;
    const wanted = new Set(missing);
    found.push(...(await unpack(queueId, block)).filter(({ seq }) => wanted.has(seq)));
    missing = missing.filter((seq) => seq > block.last_seq);
  }
  return found;
}

/** The first block that ends at or after an event. */
async function blockFrom(db: Database, queueId: string, seq: number): Promise<Block | undefined> {
  return await db
    .selectFrom("archived_events")
    .select(["first_seq", "last_seq", "content"])
    .where("queue_id", "=", queueId)
    .where("last_seq", ">=", seq)
    .orderBy("last_seq")
    .limit(1)
    .executeTakeFirst();
}

/** @throws CorruptRow when the block is damaged. */
async function unpack(queueId: string, block: Block): Promise<readonly LoggedEvent[]> {
  const { first_seq, last_seq } = block;
  const name = `the archive of events ${first_seq} to ${last_seq} of queue ${queueId}`;
  const text = await decompress(block.content).catch((error: unknown) => {
    throw new CorruptRow(name, "cannot be decompressed", { cause: error });
  });
  const events = parseJson(text.toString(), name) as readonly (readonly [number, string])[];
  if (events.length !== last_seq - first_seq + 1) throw new CorruptRow(name, "is not complete");
  return events.map(([at, content], index) => ({ seq: first_seq + index, at, content }));
}
