import { Prepared } from "../queries/prepared.ts";
import type { Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";

/** A replica that has started and was not stopped properly. It may be dead. */
export interface KnownReplica {
  readonly id: string;
  /** Grows as long as the replica runs. */
  readonly beats: number;
}

/** Which replica leads. It may be dead. */
export interface KnownLead {
  readonly holder: string;
  /** Grows as long as the leader runs. */
  readonly beats: number;
}

export interface Heartbeat {
  /** A time by `performance.now()`. Beats that it shows were recorded before this time, and others can see this beat only after it. */
  readonly at: number;
  readonly replicas: readonly KnownReplica[];
  readonly lead: KnownLead | null;
}

export interface SentNotes {
  /** Grows in the order of commits. */
  readonly id: number;
  readonly sender: string;
  readonly content: string;
}

/** The key of the only row. */
const place = 1;
const notesAtOnce = 1_000;

const ownBeat = new Prepared((db, at: { id: string; name: string }) =>
  db
    .insertInto("replicas")
    .values({ id: at.id, name: at.name, beats: 1 })
    .onConflict((known) =>
      known.column("id").doUpdateSet((row) => ({ beats: row("replicas.beats", "+", 1) })),
    ),
);
const leadersBeat = new Prepared((db, at: { id: string }) =>
  db
    .updateTable("replica_lead")
    .set((row) => ({ beats: row("beats", "+", 1) }))
    .where("holder", "=", at.id),
);
const allReplicas = new Prepared((db, _at: object) =>
  db.selectFrom("replicas").select(["id", "beats"]).orderBy("id"),
);
const currentLead = new Prepared((db, _at: object) =>
  db.selectFrom("replica_lead").select(["holder", "beats"]),
);
const notesBehind = new Prepared((db, at: { id: number }) =>
  db
    .selectFrom("replica_notes")
    .select(["id", "sender", "content"])
    .where("id", ">", at.id)
    .orderBy("id")
    .limit(notesAtOnce),
);
const lastEvents = new Prepared((db, _at: object) =>
  db
    .selectFrom("queues")
    .select((queue) => [
      "queues.id",
      queue
        .selectFrom("events")
        .whereRef("events.queue_id", "=", "queues.id")
        .select((event) => event.fn.max("events.seq").as("last"))
        .as("last"),
    ])
    .where("deleted", "=", 0),
);

/**
 * What replicas know of each other. No times are stored, because clocks differ and jump. A reader measures with its own clock for how long
 * a count has not grown.
 */
export class ReplicaStore extends SqlStore {
  /** Records that a replica runs and, if it has the lead, renews the lead. Returns all replicas, this one included. */
  beat(id: string, name: string): Promise<Heartbeat> {
    return this.writes.run(async (tx) => {
      // Not earlier: the transaction may have waited for other writers.
      const at = performance.now();
      await ownBeat.run(tx, { id, name });
      await leadersBeat.run(tx, { id });
      return { at, replicas: (await allReplicas.run(tx, {})).rows, lead: await lead(tx) };
    });
  }

  /** Takes the lead if it is unchanged since it was read. Returns whether the replica has it now. */
  takeLead(id: string, seen: KnownLead | null): Promise<boolean> {
    return this.writes.run(async (tx) => {
      const current = await lead(tx);
      if (current?.holder !== seen?.holder || current?.beats !== seen?.beats) return current?.holder === id;
      await tx
        .insertInto("replica_lead")
        .values({ place, holder: id, beats: 1 })
        .onConflict((known) => known.column("place").doUpdateSet({ holder: id, beats: 1 }))
        .execute();
      return true;
    });
  }

  /** Removes a replica and its lead. */
  async remove(id: string): Promise<void> {
    await this.writes.run(async (tx) => {
      await tx.deleteFrom("replicas").where("id", "=", id).execute();
      await tx.deleteFrom("replica_lead").where("holder", "=", id).execute();
    });
  }

  /** Stores notes for the other replicas. */
  async send(sender: string, content: string): Promise<void> {
    await this.writes.run((tx) => tx.insertInto("replica_notes").values({ sender, content }).execute());
  }

  /** Notes after one, by any replica, the oldest first. */
  async notesAfter(id: number): Promise<readonly SentNotes[]> {
    return (await notesBehind.run(this.db, { id })).rows;
  }

  /** The id of the last note; 0 when there is none. */
  async lastNote(): Promise<number> {
    const last = await this.db
      .selectFrom("replica_notes")
      .select("id")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return last?.id ?? 0;
  }

  /** Deletes notes up to and including one. */
  async forgetNotes(upTo: number): Promise<void> {
    await this.writes.run((tx) => tx.deleteFrom("replica_notes").where("id", "<=", upTo).execute());
  }

  /** The number of the last event of each queue that is not deleted. */
  async lastEvents(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await lastEvents.run(this.db, {});
    return new Map(rows.map(({ id, last }) => [id, Number(last ?? 0)]));
  }
}

async function lead(tx: Tx): Promise<KnownLead | null> {
  return (await currentLead.first(tx, {})) ?? null;
}
