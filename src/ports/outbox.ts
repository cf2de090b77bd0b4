import type { Effect } from "../engine/model/effect.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { Reaction } from "./code-host/code-host.ts";

/** An effect of a queue's events. What a pull request shows is not written for each queue, and a try is built as any test commit. */
export type QueueTask = Exclude<Effect, { type: "publish" | "build_try" | "build_base_test" }> & {
  readonly queueId: string;
};

/** Work to do at the code host. Every task is idempotent. */
export type Task =
  | QueueTask
  | {
      readonly type: "react";
      readonly repo: RepositoryRef;
      /** Finds the repository if it has been renamed since; absent = not known. */
      readonly repositoryId?: number;
      readonly installationId: number;
      readonly commentNodeId: string;
      readonly reaction: Reaction;
    }
  | {
      readonly type: "publish";
      readonly repo: RepositoryRef;
      readonly pr: number;
      /** The installation to use for a repository that has no queue. */
      readonly installationId?: number;
      /** Write also content that is believed to be shown already. */
      readonly again?: true;
    };

/** A task to be added to the outbox. */
export interface PlannedTask {
  readonly task: Task;
  /** Tasks of one stream are carried out one at a time, in order. */
  readonly stream: string;
  /** Not before this time, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** While another task of this stream waits unclaimed, this one is merged into it; the earlier time wins. */
  readonly coalesce: boolean;
}

/**
 * A row under a worker's claim. When its lease expires and another worker claims the row, this claim is void:
 * the delayed worker can no longer change the row.
 */
export interface ClaimedRow {
  readonly id: number;
  readonly claim: string;
}

/** A task that a worker has claimed. */
export interface OutboxRow extends ClaimedRow {
  readonly stream: string;
  readonly task: Task;
  /** How often it was claimed before. When more than 0, an earlier attempt may have partly happened. */
  readonly attempts: number;
  /** How many earlier attempts have failed for a reason of the task. The others were cut short. */
  readonly failures: number;
  /** The kind of the last failure, and how many failures of that kind came in a row. */
  readonly failedAs: string | null;
  readonly failedInARow: number;
}

export interface OutboxBacklog {
  readonly task: Task;
  readonly rows: number;
  /** In milliseconds since the epoch; null for a row from before this time was recorded. */
  readonly wantedAt: number | null;
}

export interface Claim {
  /** The worker, for people who read the table. */
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Tasks that are decided but not done. `QueueStore.commit` adds most of them. */
export interface Outbox {
  add(planned: PlannedTask): Promise<void>;
  /**
   * Leases due rows, only the first unfinished one of each stream, oldest first. A row whose lease expired,
   * because its worker died, is due again.
   */
  claim(claim: Claim): Promise<readonly OutboxRow[]>;
  /**
   * Marks the task as done. This method and the following change nothing when the row was settled, given
   * back, or claimed by another worker.
   */
  settle(row: ClaimedRow): Promise<void>;
  /**
   * Gives the row back, to be claimed at or after `notBefore`.
   *
   * @param error why; null = the task has not failed, and is simply not done
   * @param failedAs the kind of failure; null = something cut the attempt short that says nothing about the task
   */
  postpone(row: ClaimedRow, notBefore: number, error: string | null, failedAs?: string | null): Promise<void>;
  /**
   * Makes the postponed rows of streams with these prefixes due at `notBefore`, if that is earlier. Claimed
   * rows do not change.
   */
  hasten(streams: readonly string[], notBefore: number): Promise<void>;
  /** Extends a lease. */
  renew(row: ClaimedRow, leaseUntil: number): Promise<void>;
  /**
   * When the next row can be claimed, in milliseconds since the epoch; null when none waits. May be in the
   * past.
   */
  nextDue(): Promise<number | null>;
  /** The unfinished tasks of each stream: one of them, their number, and when the first was wanted. */
  backlog(): Promise<readonly OutboxBacklog[]>;
  /** The number of unfinished rows. */
  depth(): Promise<number>;
}
