import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";

/** What a replica does when it learns something about the others. */
export interface ReplicaHooks {
  /** Starts the work that only one replica does, such as reading what webhooks missed. */
  lead(): void;
  /** Stops that work. Never rejects. */
  follow(): Promise<void>;
  receive(note: ReplicaNote): Promise<void>;
  /** Handles that a queue has events up to this one. */
  catchUp(queueId: string, lastEvent: number): Promise<void>;
}

/** The services that share this database. */
export interface Replicas {
  /** The number of replicas that run, this one included. */
  readonly live: number;
  /** Sends a note to the other replicas soon. Never rejects. */
  broadcast(note: ReplicaNote): void;
  start(hooks: ReplicaHooks): Promise<void>;
  /** Leaves the lead to another replica at once. */
  stop(): Promise<void>;
}

/** A service that has its database for itself. */
export class SoleReplica implements Replicas {
  readonly live = 1;
  #hooks: ReplicaHooks | null = null;

  broadcast(): void {}

  async start(hooks: ReplicaHooks): Promise<void> {
    this.#hooks = hooks;
    hooks.lead();
  }

  async stop(): Promise<void> {
    await this.#hooks?.follow();
  }
}

/**
 * What one replica has learned and the others cannot read from the database. Losing a note only costs time: the replica then knows as much
 * as after a restart.
 */
export type ReplicaNote =
  /** Events were committed. */
  | { readonly kind: "queue"; readonly queueId: string }
  /** A webhook reported a check. */
  | {
      readonly kind: "check";
      readonly repo: RepositoryRef;
      readonly sha: string;
      readonly check: CheckFact;
    }
  /** A webhook reported when a pull request was last changed, by the code host's clock. */
  | {
      readonly kind: "pull_request";
      readonly repo: RepositoryRef;
      readonly pr: number;
      readonly changedAt: number;
    }
  /** A webhook reported a forced push to a queue's base. */
  | { readonly kind: "forced_push"; readonly queueId: string; readonly sha: string }
  /** `.github/trainyard.yml` was changed on a branch. */
  | { readonly kind: "repository_file"; readonly repo: RepositoryRef; readonly branch: string };
