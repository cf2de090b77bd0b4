/** A replica that has started and not ended in an orderly way. It may be dead. */
export interface KnownReplica {
  readonly id: string;
  /** Grows as long as the replica lives. */
  readonly beats: number;
}

/** Which replica leads. It may be dead. */
export interface KnownLead {
  readonly holder: string;
  /** Grows as long as the leader lives. */
  readonly beats: number;
}

export interface Heartbeat {
  /** When it was recorded, by `performance.now()`: after every beat that it shows, and before others can see it. */
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

/**
 * What replicas know of each other. No times are stored, because clocks differ and jump: a reader measures by
 * its own clock for how long a count has not grown.
 */
export interface ReplicaStore {
  /** Records that a replica lives and, if it has the lead, keeps it. Returns all replicas, this one included. */
  beat(id: string, name: string): Promise<Heartbeat>;
  /** Takes the lead if it is still as it was seen. Returns whether the replica has it now. */
  takeLead(id: string, seen: KnownLead | null): Promise<boolean>;
  /** Removes a replica and its lead. */
  remove(id: string): Promise<void>;
  /** Stores notes for the other replicas. */
  send(sender: string, content: string): Promise<void>;
  /** Notes after one, by any replica, the oldest first. */
  notesAfter(id: number): Promise<readonly SentNotes[]>;
  /** The id of the last note; 0 when there is none. */
  lastNote(): Promise<number>;
  /** Deletes notes up to and including one. */
  forgetNotes(upTo: number): Promise<void>;
  /** The number of the last event of each queue that is not deleted. */
  lastEvents(): Promise<ReadonlyMap<string, number>>;
}
