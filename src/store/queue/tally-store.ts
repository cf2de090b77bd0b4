import type { Event } from "../../engine/model/event.ts";
import { Prepared } from "../queries/prepared.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { eventsAfter } from "./event-log.ts";
import { queueRecord } from "./queue-directory.ts";
import type { QueueRecord } from "./queue-store.ts";

/** The counts of a queue up to an event, opaque to the store. */
export interface StoredTally {
  readonly seq: number;
  readonly content: string;
}

const one = new Prepared((db, at: { queueId: string }) =>
  db.selectFrom("tallies").select(["seq", "content"]).where("queue_id", "=", at.queueId),
);

const put = new Prepared((db, row: { queueId: string; seq: number; content: string }) =>
  db
    .insertInto("tallies")
    .values({ queue_id: row.queueId, seq: row.seq, content: row.content })
    .onConflict((known) =>
      known
        .column("queue_id")
        .doUpdateSet((given) => ({ seq: given.ref("excluded.seq"), content: given.ref("excluded.content") }))
        .whereRef("tallies.seq", "<", "excluded.seq"),
    ),
);

export async function findTally(db: Database, queueId: string): Promise<StoredTally | null> {
  return (await one.first(db, { queueId })) ?? null;
}

/** Stores a tally, unless a stored one covers more events. */
export async function putTally(tx: Tx, queueId: string, tally: StoredTally): Promise<void> {
  await put.run(tx, { queueId, ...tally });
}

/** Counts of the queues' logs. They are also written with each commit of events. */
export class TallyStore extends SqlStore {
  /** Returns the queues that are not deleted and of which something was counted. */
  async list(): Promise<readonly (QueueRecord & { readonly content: string })[]> {
    const rows = await this.db
      .selectFrom("tallies")
      .innerJoin("queues", "queues.id", "tallies.queue_id")
      .selectAll("queues")
      .select("tallies.content")
      .where("deleted", "=", 0)
      .execute();
    return rows.map((row) => ({ ...queueRecord(row), content: row.content }));
  }

  /** The queues that are not deleted and whose log has events that their tally does not cover, such as after an upgrade. */
  async behind(): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom("queues")
      .leftJoin("tallies", "tallies.queue_id", "queues.id")
      .select("queues.id")
      .where("deleted", "=", 0)
      .where((is) =>
        is.or([
          is("tallies.seq", "is", null),
          is.exists(
            is
              .selectFrom("events")
              .select("events.seq")
              .whereRef("events.queue_id", "=", "queues.id")
              .whereRef("events.seq", ">", "tallies.seq"),
          ),
        ]),
      )
      .execute();
    return rows.map(({ id }) => id);
  }

  async put(queueId: string, tally: StoredTally): Promise<void> {
    await this.writes.run((tx) => putTally(tx, queueId, tally));
  }

  /** At most `limit` events of a queue after `seq`, in order. */
  eventsAfter(queueId: string, seq: number, limit: number): Promise<readonly Event[]> {
    return eventsAfter(this.db, queueId, seq, limit);
  }
}
