import type { Effect } from "../../engine/model/effect.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Reaction } from "../../ports/code-host/pull-requests.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import type { Relocation } from "../queue/queue-store.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { LeasedQueue } from "./leased-queue.ts";
import type { NewRow } from "./leased-row.ts";
import type { Postponement } from "./postpone-rows.ts";
import { SharedWrite } from "./shared-write.ts";

/**
 * The effects that become tasks unchanged. Of the others, `publish` becomes one task for all queues of a pull request, and a build of a try
 * or of a base test becomes `build_test_commit`.
 */
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
      /** Whether to write content that seems to be shown already. */
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
  /** The number of earlier attempts that failed because of the task itself. The others were interrupted. */
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

const queue = new LeasedQueue("outbox");

/** Adds tasks in order, as part of a larger write. */
export async function addTasks(tx: Tx, tasks: readonly PlannedTask[]): Promise<void> {
  const rows = tasks.map(({ task, ...row }) => ({ ...row, content: JSON.stringify(task) }));
  await queue.addAll(tx, folded(rows));
}

/** Merges each row that would only be coalesced into the previous one of the same stream. */
function folded(rows: readonly NewRow[]): readonly NewRow[] {
  const kept: NewRow[] = [];
  const lastOf = new Map<string, number>();
  for (const row of rows) {
    const at = lastOf.get(row.stream);
    const last = at === undefined ? undefined : kept[at];
    if (at !== undefined && last?.coalesce && row.coalesce && last.content === row.content) {
      kept[at] = { ...last, notBefore: Math.min(last.notBefore, row.notBefore) };
      continue;
    }
    lastOf.set(row.stream, kept.length);
    kept.push(row);
  }
  return kept;
}

/** Settles rows as part of a larger write. Returns those whose claim is no longer valid. */
export async function settleTasks(tx: Tx, rows: readonly ClaimedRow[]): Promise<readonly ClaimedRow[]> {
  const settled = await queue.settleAll(tx, rows);
  return rows.filter(({ claim, id }) => !settled.has(claim + id));
}

/** Moves the tasks of these streams to a repository's new name, as part of a larger write. */
export async function moveTasks(
  tx: Tx,
  { from, to }: Relocation["streams"],
  repo: RepositoryRef,
): Promise<void> {
  const contentOf = (content: string, id: number) =>
    JSON.stringify({ ...parseStored<Task>(content, `outbox row ${id}`), repo });
  await queue.moveStreams(tx, { from, to, contentOf });
}

/** Tasks that are decided but not done. `QueueStore.commit` adds most of them. */
export class Outbox extends SqlStore {
  readonly #settling: SharedWrite<ClaimedRow>;
  readonly #postponing: SharedWrite<Postponement>;

  #wake: () => void = () => {};

  constructor(db: Database, writes: Writes) {
    super(db, writes);
    this.#settling = new SharedWrite(writes, (tx, rows) => queue.settleAll(tx, rows));
    this.#postponing = new SharedWrite(writes, (tx, rows) => queue.postponeAll(tx, rows));
  }

  /** Sets what to do when a task is added, or becomes due earlier, other than by the commit of a queue. */
  onAdded(wake: () => void): void {
    this.#wake = wake;
  }

  async add(planned: PlannedTask): Promise<void> {
    await this.writes.run((tx) => addTasks(tx, [planned]));
    this.#wake();
  }

  /**
   * Leases due rows, only the first unfinished one of each stream, oldest first. A row whose lease expired,
   * because its worker died, is due again.
   */
  async claim(claim: Claim): Promise<readonly OutboxRow[]> {
    if (!(await queue.isAnyDue(this.db, claim.now))) return [];
    return await this.writes.run(async (tx) => {
      const rows = await queue.claim(tx, claim);
      return rows.map(({ content, ...row }) => ({
        ...row,
        task: parseStored<Task>(content, `outbox row ${row.id}`),
      }));
    });
  }

  /**
   * Marks the task as done. This method and the following change nothing when the row was settled, given
   * back, or claimed by another worker.
   */
  settle(row: ClaimedRow): Promise<void> {
    return this.#settling.add(row);
  }

  /**
   * Gives the row back, to be claimed at or after `notBefore`.
   *
   * @param error why; null = the task did not fail, but is not done yet
   *
   * @param failedAs the kind of failure; null = the attempt was interrupted, which says nothing about the task
   */
  postpone(
    row: ClaimedRow,
    notBefore: number,
    error: string | null,
    failedAs: string | null = null,
  ): Promise<void> {
    return this.#postponing.add({ row, notBefore, error, failedAs });
  }

  /**
   * Makes the postponed rows of streams with these prefixes due at `notBefore`, if that is earlier. Claimed
   * rows do not change.
   */
  async hasten(streams: readonly string[], notBefore: number): Promise<void> {
    await this.writes.run(async (tx) => {
      for (const stream of streams) await queue.hasten(tx, stream, notBefore);
    });
    this.#wake();
  }

  async renew(row: ClaimedRow, leaseUntil: number): Promise<void> {
    await this.writes.run((tx) => queue.renew(tx, row, leaseUntil));
  }

  /**
   * When the next row can be claimed, in milliseconds since the epoch; null when none waits. May be in the
   * past.
   */
  nextDue(): Promise<number | null> {
    return queue.nextDue(this.db);
  }

  /** For each stream with unfinished tasks: one of them, their number, and when the first was wanted. */
  async backlog(): Promise<readonly OutboxBacklog[]> {
    const streams = await queue.backlog(this.db);
    return streams.map(({ stream, content, rows, wantedAt }) => ({
      task: parseStored<Task>(content, `the outbox's stream ${stream}`),
      rows,
      wantedAt,
    }));
  }

  /** The number of unfinished rows. */
  depth(): Promise<number> {
    return queue.depth(this.db);
  }
}
