import type { Event } from "../../engine/model/event.ts";
import type { TallyStore } from "../../ports/tally-store.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database } from "../sqlite/schema.ts";
import { eventsAfter } from "./event-log.ts";

export class SqlTallyStore implements TallyStore {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  async get(queueId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("tallies")
      .select("content")
      .where("queue_id", "=", queueId)
      .executeTakeFirst();
    return row?.content ?? null;
  }

  async put(queueId: string, seq: number, content: string): Promise<void> {
    await this.#writes.run((tx) =>
      tx
        .insertInto("tallies")
        .values({ queue_id: queueId, seq, content })
        .onConflict((known) =>
          known.column("queue_id").doUpdateSet({ seq, content }).where("tallies.seq", "<", seq),
        )
        .execute(),
    );
  }

  eventsAfter(queueId: string, seq: number, limit: number): Promise<readonly Event[]> {
    return eventsAfter(this.#db, queueId, seq, limit);
  }
}
