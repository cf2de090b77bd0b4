import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { Event } from "../../engine/model/event.ts";
import { CorruptRow } from "../queries/corrupt-row.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { eventsAfter } from "./event-log.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** A state of a queue after an event. */
export interface PastState {
  readonly seq: number;
  /** The latest time of the events up to `seq`; milliseconds since the epoch. */
  readonly at: number;
  /** The serialised state, opaque to the store. */
  readonly state: string;
}

/** The marks on the time axis for the events since the previous row, opaque to the store. */
export interface MarkedEvents {
  readonly seq: number;
  readonly at: number;
  readonly marks: string;
}

/** Past states of queues, and their logs. */
export class PastStates extends SqlStore {
  /** The last kept state that contains only events up to a time; null = there is none. @throws CorruptRow when it is damaged */
  async before(queueId: string, at = Number.MAX_SAFE_INTEGER): Promise<PastState | null> {
    const row = await this.db
      .selectFrom("past_states")
      .select(["seq", "at", "state"])
      .where("queue_id", "=", queueId)
      .where("at", "<=", at)
      .orderBy("at", "desc")
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst();
    if (!row) return null;
    const state = await decompress(row.state).catch((error: unknown) => {
      const name = `the state after event ${row.seq} of queue ${queueId}`;
      throw new CorruptRow(name, "cannot be decompressed", { cause: error });
    });
    return { seq: row.seq, at: row.at, state: state.toString() };
  }

  /** Stores a state, unless one after the same event is stored already. */
  async put(queueId: string, { seq, at, marks, state }: PastState & MarkedEvents): Promise<void> {
    const row = { queue_id: queueId, seq, at, marks, state: await compress(state) };
    await this.writes.run((tx) =>
      tx
        .insertInto("past_states")
        .values(row)
        .onConflict((known) => known.doNothing())
        .execute(),
    );
  }

  /** The number of events since the last kept state. */
  async countNewer(queueId: string): Promise<number> {
    const [event, kept] = await Promise.all(
      (["events", "past_states"] as const).map((table) =>
        this.db
          .selectFrom(table)
          .select((row) => row.fn.max("seq").as("last"))
          .where("queue_id", "=", queueId)
          .executeTakeFirst(),
      ),
    );
    return (event?.last ?? 0) - (kept?.last ?? 0);
  }

  /** The marks of a period in order: from the last row before it to the first one that ends after it. */
  async marks(queueId: string, from: number, to: number): Promise<readonly MarkedEvents[]> {
    const rows = this.db
      .selectFrom("past_states")
      .select(["seq", "at", "marks"])
      .where("queue_id", "=", queueId);
    const [before, within, after] = await Promise.all([
      rows.where("at", "<", from).orderBy("at", "desc").orderBy("seq", "desc").limit(1).execute(),
      rows.where("at", ">=", from).where("at", "<=", to).orderBy("at").orderBy("seq").execute(),
      rows.where("at", ">", to).orderBy("at").orderBy("seq").limit(1).execute(),
    ]);
    return [...before, ...within, ...after];
  }

  /** At most `limit` events of a queue after `seq`, in order. */
  eventsAfter(queueId: string, seq: number, limit: number): Promise<readonly Event[]> {
    return eventsAfter(this.db, queueId, seq, limit);
  }
}
