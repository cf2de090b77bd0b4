import type { ReplicaNote } from "./replica-note.ts";

/** What a replica does when it learns something about the others. */
export interface ReplicaHooks {
  /** Starts the work that only one replica does, such as reading what webhooks missed. */
  lead(): void;
  /** Stops that work. Never rejects. */
  follow(): Promise<void>;
  /** Handles a note of another replica. */
  hear(note: ReplicaNote): Promise<void>;
  /** Handles that a queue has events up to this one. */
  catchUp(queueId: string, lastEvent: number): Promise<void>;
}

/** The services that share this database. */
export interface Replicas {
  /** Those that live, this one included. */
  readonly live: number;
  /** Tells the other replicas soon. Never rejects. */
  tell(note: ReplicaNote): void;
  start(hooks: ReplicaHooks): Promise<void>;
  /** Leaves the lead to another replica at once. */
  stop(): Promise<void>;
}

/** A service that has its database for itself. */
export class SoleReplica implements Replicas {
  readonly live = 1;
  #hooks: ReplicaHooks | null = null;

  tell(): void {}

  async start(hooks: ReplicaHooks): Promise<void> {
    this.#hooks = hooks;
    hooks.lead();
  }

  async stop(): Promise<void> {
    await this.#hooks?.follow();
  }
}
