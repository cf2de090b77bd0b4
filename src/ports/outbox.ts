import type { EndedRun } from "../engine/model/test-run.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { TryReport } from "../engine/model/try.ts";
import type { Reaction } from "./code-host.ts";

/** Something to be done in the world. Every task is idempotent. */
export type Task =
  | {
      readonly type: "build_test_commit";
      readonly queueId: string;
      readonly runId: string;
      readonly pr: number;
    }
  | ({ readonly type: "remove_test_branch"; readonly queueId: string } & EndedRun)
  | ({ readonly type: "cancel_workflow_runs"; readonly queueId: string } & EndedRun)
  | {
      readonly type: "open_test_pull_request";
      readonly queueId: string;
      readonly runId: string;
      readonly pr: number;
    }
  | {
      readonly type: "rerun_failed_checks";
      readonly queueId: string;
      readonly runId: string;
      /** The engine's, from 1. */
      readonly attempt: number;
      readonly suites: readonly number[];
      /** The check runs that failed: newer ones in their places mean that it is done. */
      readonly outdated: readonly number[];
    }
  | {
      readonly type: "report_try";
      readonly queueId: string;
      readonly pr: number;
      readonly report: TryReport;
    }
  | { readonly type: "merge"; readonly queueId: string; readonly attemptId: string }
  | { readonly type: "examine_head"; readonly queueId: string; readonly pr: number }
  | { readonly type: "observe_pull_request"; readonly queueId: string; readonly pr: number }
  | {
      readonly type: "react";
      readonly repo: RepositoryRef;
      readonly installationId: number;
      readonly commentNodeId: string;
      readonly reaction: Reaction;
    }
  | {
      readonly type: "publish";
      readonly repo: RepositoryRef;
      readonly pr: number;
      /** The way to a repository that has no queue. */
      readonly installationId?: number;
      /** Write also what is believed to be shown already. */
      readonly again?: true;
    };

/** A task on its way into the outbox. */
export interface PlannedTask {
  readonly task: Task;
  /** Tasks of one stream are carried out one at a time, in order. */
  readonly stream: string;
  /** Not before this time, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** While another task of this stream waits unclaimed, this one is folded into it; the earlier time wins. */
  readonly coalesce: boolean;
}

/**
 * A row as the worker names it that has claimed it. When its lease has run out and another worker has claimed the row, this
 * names nothing any more: whoever was held up and comes back late changes nothing.
 */
export interface ClaimedRow {
  readonly id: number;
  readonly claim: string;
}

/** A task that a worker has claimed. */
export interface OutboxRow extends ClaimedRow {
  readonly stream: string;
  readonly task: Task;
  /** How often it has been claimed before. More than 0: an earlier try may have happened in part. */
  readonly attempts: number;
}

export interface OutboxBacklog {
  readonly task: Task;
  readonly rows: number;
  /** In milliseconds since the epoch; null when that was not kept yet. */
  readonly wantedAt: number | null;
}

export interface Claim {
  /** Who asks, for people who look at the table. */
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Tasks that are decided but not done. `QueueStore.commit` adds most of them. */
export interface Outbox {
  add(planned: PlannedTask): Promise<void>;
  /**
   * Leases due rows, the first unfinished one of each stream, oldest first. A row whose lease ran out, because its
   * worker died, is due again.
   */
  claim(claim: Claim): Promise<readonly OutboxRow[]>;
  /** The task is done. This and the following change nothing when the row was settled, given back, or claimed by another. */
  settle(row: ClaimedRow): Promise<void>;
  /** Gives the row back, to be claimed at or after a time. What was not really tried need not count as an attempt. */
  postpone(
    row: ClaimedRow,
    notBefore: number,
    error: string | null,
    options?: { readonly isAttempt: boolean },
  ): Promise<void>;
  /** Makes postponed rows due at a time, if that is sooner, whose streams begin so. Rows with a worker are left alone. */
  hasten(streams: readonly string[], notBefore: number): Promise<void>;
  /** Keeps a lease for longer. */
  renew(row: ClaimedRow, leaseUntil: number): Promise<void>;
  /** When the next row can be claimed, in milliseconds since the epoch; null when none waits. May be in the past. */
  nextDue(): Promise<number | null>;
  /** What is unfinished, stream by stream: one of its tasks, how many there are, and when the first was wanted. */
  backlog(): Promise<readonly OutboxBacklog[]>;
  /** How many rows are unfinished. */
  depth(): Promise<number>;
}
