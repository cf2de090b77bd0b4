import type { Event } from "../../engine/model/event.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { eventsAfter } from "./event-log.ts";

/** Tallies of the queues' logs, so that counting need not start from the beginning. */
export class TallyStore extends SqlStore {
  /** The last tally of a queue, opaque to the store; null when nothing was counted yet. */
  async get(queueId: string): Promise<string | null> {
    const row = await this.db
      .selectFrom("tallies")
      .select("content")
      .where("queue_id", "=", queueId)
      .executeTakeFirst();
    return row?.content ?? null;
  }

  /** Stores a tally up to an event. A stored tally that covers more events stays. */
  async put(queueId: string, seq: number, content: string): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .insertInto("tallies")
        .values({ queue_id: queueId, seq, content })
        .onConflict((known) =>
          known.column("queue_id").doUpdateSet({ seq, content }).where("tallies.seq", "<", seq),
        )
        .execute(),
    );
  }

  /** At most `limit` events of a queue after `seq`, in order. */
  eventsAfter(queueId: string, seq: number, limit: number): Promise<readonly Event[]> {
    return eventsAfter(this.db, queueId, seq, limit);
  }
}
