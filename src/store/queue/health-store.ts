import type { Event } from "../../engine/model/event.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { eventsAfter } from "./event-log.ts";

/** The figures of an hour of a queue, opaque to the store. */
export interface HealthHour {
  /** When the hour begins, in milliseconds since the epoch. */
  readonly at: number;
  readonly steps: string;
  readonly stays: string;
}

/** Figures of queues by the hour, folded from their logs. */
export class HealthStore extends SqlStore {
  /** The stored fold of a queue; null when no event was folded yet. */
  async fold(queueId: string): Promise<string | null> {
    const row = await this.db
      .selectFrom("health_folds")
      .select("content")
      .where("queue_id", "=", queueId)
      .executeTakeFirst();
    return row?.content ?? null;
  }

  /** Stores a fold up to an event, and the hours that it has changed. Does nothing if a stored fold covers at least as many events. */
  async put(queueId: string, seq: number, content: string, hours: readonly HealthHour[]): Promise<void> {
    await this.writes.run(async (tx) => {
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto("health_folds")
        .values({ queue_id: queueId, seq, content })
        .onConflict((known) =>
          known.column("queue_id").doUpdateSet({ seq, content }).where("health_folds.seq", "<", seq),
        )
        .executeTakeFirstOrThrow();
      if (!numInsertedOrUpdatedRows) return;
      for (const { at, steps, stays } of hours)
        await tx
          .insertInto("health_hours")
          .values({ queue_id: queueId, at, steps, stays })
          .onConflict((known) => known.columns(["queue_id", "at"]).doUpdateSet({ steps, stays }))
          .execute();
    });
  }

  /** The figures of the hours that begin from `from` until before `to`, in order; at most `limit` of them. */
  async steps(queueId: string, from: number, to: number, limit: number) {
    return this.#hours(queueId, from, to).select(["at", "steps"]).orderBy("at").limit(limit).execute();
  }

  /** The waits of pull requests that left the queue in these hours. */
  async stays(queueId: string, hours: readonly number[]): Promise<readonly string[]> {
    if (hours.length === 0) return [];
    const rows = await this.db
      .selectFrom("health_hours")
      .select("stays")
      .where("queue_id", "=", queueId)
      .where("at", "in", hours)
      .execute();
    return rows.map(({ stays }) => stays);
  }

  /** At most `limit` events of a queue after `seq`, in order. */
  eventsAfter(queueId: string, seq: number, limit: number): Promise<readonly Event[]> {
    return eventsAfter(this.db, queueId, seq, limit);
  }

  #hours(queueId: string, from: number, to: number) {
    return this.db
      .selectFrom("health_hours")
      .where("queue_id", "=", queueId)
      .where("at", ">=", from)
      .where("at", "<", to);
  }
}
