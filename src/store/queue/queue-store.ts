import type { Entry, EntryState } from "../../engine/model/entry.ts";
import type { Event } from "../../engine/model/event.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Targets } from "../../engine/model/targets.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { Announcement } from "../../ports/webhooks/webhook-message.ts";
import { type AuditEntry, appendAudits } from "../access/audit-log.ts";
import { addTasks, type ClaimedRow, type PlannedTask, settleTasks } from "../leased/outbox.ts";
import type { Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { announce } from "./announce.ts";
import {
  endedEntries,
  eventSeqsOf,
  lastEntry,
  lastEntryOfBranch,
  listEntries,
  putEntries,
} from "./entry-projection.ts";
import {
  appendEvents,
  eventsAfter,
  eventsWith,
  insertSnapshot,
  newestSnapshot,
  stopsBetween,
  targetsOfEvents,
} from "./event-log.ts";
import { addQueue, findQueue, getQueue, listQueues, removeQueue } from "./queue-directory.ts";
import { relocateQueue } from "./relocate-queue.ts";
import { findRun, findRuns, putRuns } from "./run-projection.ts";
import { findTally, putTally, type StoredTally } from "./tally-store.ts";

/** A queue as recorded in the directory of queues. */
export interface QueueRecord {
  readonly id: string;
  readonly repo: RepositoryRef;
  readonly branch: string;
  /** The App installation through which the repository is reached. */
  readonly installationId: number;
  /**
   * The code host's repository id, which stays the same when the repository is renamed; null when it was not
   * read yet.
   */
  readonly repositoryId: number | null;
  readonly createdAt: number;
}

/** Where a queue's repository is, and the installation to reach it. */
export type QueuePlace = Pick<QueueRecord, "repo" | "branch" | "installationId" | "repositoryId">;

/** The new place of a queue. The stored data of the repository's pull requests moves with the first of its queues. */
export interface Relocation {
  readonly place: QueuePlace;
  /** The prefixes of the streams of tasks that name the repository, before and after. */
  readonly streams: { readonly from: string; readonly to: string };
}

/** The changes of one decision. They are written all together or not at all. */
export interface QueueCommit {
  readonly queueId: string;
  /** Consecutive, following the last event of the log. May be empty. */
  readonly events: readonly Event[];
  /** The current state of entries that the events touched. */
  readonly entries: readonly Entry[];
  /** The current state of the test runs that the events are about. */
  readonly runs?: readonly RunRecord[];
  /** The counts up to the last event; absent = those before the events are not known. */
  readonly tally?: StoredTally;
  /** The tasks that the events require. */
  readonly tasks: readonly PlannedTask[];
  /** Outbox rows whose outcome this decision has used. They are marked as done. */
  readonly settles: readonly ClaimedRow[];
  /** The webhook messages to publish about the events. */
  readonly announces?: Announcement;
  /** The audit entries of the commands that caused the events. */
  readonly audits?: readonly AuditEntry[];
  /** Adds the queue to the directory. */
  readonly creates?: QueueRecord;
  /** Removes the queue from the directory; its log stays. */
  readonly deletes?: boolean;
  readonly relocates?: Relocation;
}

/**
 * The result of a commit. Unless it is `committed`, nothing was written. `conflict`: the log already holds
 * one of the sequence numbers, or the branch already has a queue; reload and decide again. `place_taken`: another
 * queue has the branch to which this one would be relocated. `lost`: these rows were settled, given back, or
 * claimed by another worker, so this commit must not use their outcome.
 */
export type CommitResult =
  | "committed"
  | "conflict"
  | "place_taken"
  | { readonly lost: readonly ClaimedRow[] };

export interface QueueSnapshot {
  readonly seq: number;
  /** The serialised state, opaque to the store. */
  readonly state: string;
}

/** Selects entries of a queue, the last submitted first. */
export interface EntryQuery {
  /** Null means any state. */
  readonly state: EntryState | null;
  /** Submitted at or after this time; null means no lower bound. */
  readonly since: number | null;
  /** Submitted before this time; null means no upper bound. */
  readonly until: number | null;
  /** Only entries after this one in the listing; it need not exist any more. */
  readonly after: EntryPlace | null;
  readonly limit: number;
}

/** The position of an entry in a listing. */
export interface EntryPlace {
  readonly submittedAt: number;
  readonly pr: number;
}

/** Thrown to roll back a conflicting commit; never leaves this file. */
class Conflict extends Error {}

/** Used like `Conflict`. */
class PlaceTaken extends Error {}

/** Used like `Conflict`. */
class Lost extends Error {
  readonly rows: readonly ClaimedRow[];

  constructor(rows: readonly ClaimedRow[]) {
    super("claims were lost");
    this.rows = rows;
  }
}

/** The durable log of every queue, and the data derived from it in the same transaction. */
export class QueueStore extends SqlStore {
  /** The queue of a branch; owner and name compare case-insensitively. Null when there is none, or it was deleted. */
  find(repo: RepositoryRef, branch: string): Promise<QueueRecord | null> {
    return findQueue(this.db, repo, branch);
  }

  /** A queue by its id, deleted ones included. */
  get(queueId: string): Promise<QueueRecord | null> {
    return getQueue(this.db, queueId);
  }

  /** Every queue that is not deleted, oldest first. */
  list(): Promise<readonly QueueRecord[]> {
    return listQueues(this.db);
  }

  /** The newest snapshot and every event after it, in order. A snapshot does not contain targets, which are in the log. */
  async load(queueId: string): Promise<{ snapshot: QueueSnapshot | null; events: readonly Event[] }> {
    const snapshot = await newestSnapshot(this.db, queueId);
    const events = await eventsAfter(this.db, queueId, snapshot?.seq ?? 0);
    return { snapshot, events };
  }

  /** The events that any process committed after an event, in order. Cheap when there are none. */
  eventsAfter(queueId: string, seq: number): Promise<readonly Event[]> {
    return eventsAfter(this.db, queueId, seq);
  }

  /**
   * The impacted targets in the events with these sequence numbers, by number. Events without targets are
   * left out.
   */
  targets(queueId: string, seqs: readonly number[]): Promise<ReadonlyMap<number, Targets>> {
    return targetsOfEvents(this.db, queueId, seqs);
  }

  /** The stored counts of a queue's log; null = nothing was counted yet. */
  tally(queueId: string): Promise<StoredTally | null> {
    return findTally(this.db, queueId);
  }

  /** Writes a commit. It is flushed to disk when the promise resolves. */
  async commit(commit: QueueCommit): Promise<CommitResult> {
    try {
      await this.writes.run((tx) => writeCommit(tx, commit));
      return "committed";
    } catch (error) {
      if (error instanceof Conflict) return "conflict";
      if (error instanceof PlaceTaken) return "place_taken";
      if (error instanceof Lost) return { lost: error.rows };
      throw error;
    }
  }

  async saveSnapshot(queueId: string, snapshot: QueueSnapshot): Promise<void> {
    await this.writes.run((tx) => insertSnapshot(tx, queueId, snapshot));
  }

  /**
   * The last entry of a pull request in a queue, live or ended, without its targets. The same holds for the entries that the following
   * methods return.
   */
  lastEntry(queueId: string, pr: number): Promise<Entry | null> {
    return lastEntry(this.db, queueId, pr);
  }

  /** The last entry whose head branch has this name; a live one is preferred to an ended one. */
  lastEntryOfBranch(queueId: string, headRef: string): Promise<Entry | null> {
    return lastEntryOfBranch(this.db, queueId, headRef);
  }

  /** Entries that ended at or after a time, newest first. */
  endedEntries(queueId: string, since: number, limit: number): Promise<readonly Entry[]> {
    return endedEntries(this.db, queueId, since, limit);
  }

  /** A test run of the queue, also when it is no longer active. */
  findRun(queueId: string, runId: string): Promise<RunRecord | null> {
    return findRun(this.db, queueId, runId);
  }

  /** The existing ones of these test runs, in any order. */
  findRuns(queueId: string, runIds: readonly string[]): Promise<readonly RunRecord[]> {
    return findRuns(this.db, queueId, runIds);
  }

  /**
   * The last `limit` events of a pull request's story, in order, earlier submissions included, and the number of events before them. Reads
   * only these events, except for whole blocks of the archive.
   */
  async entryEvents(
    queueId: string,
    pr: number,
    limit: number,
  ): Promise<{ events: readonly Event[]; omitted: number }> {
    const seqs = await eventSeqsOf(this.db, queueId, pr);
    const shown = seqs.slice(-limit);
    return { events: await eventsWith(this.db, queueId, shown), omitted: seqs.length - shown.length };
  }

  /** See `stopsBetween`. Reads only these events, except for whole blocks of the archive. */
  stopsBetween(queueId: string, range: Parameters<typeof stopsBetween>[2]): Promise<readonly Event[]> {
    return stopsBetween(this.db, queueId, range);
  }

  /** The last entry of each pull request, live or ended. */
  listEntries(queueId: string, query: EntryQuery): Promise<readonly Entry[]> {
    return listEntries(this.db, queueId, query);
  }
}

async function writeCommit(tx: Tx, commit: QueueCommit): Promise<void> {
  if (commit.creates && !(await addQueue(tx, commit.creates))) throw new Conflict();
  if (!(await appendEvents(tx, commit.queueId, commit.events))) throw new Conflict();
  if (commit.relocates && !(await relocateQueue(tx, commit.queueId, commit.relocates)))
    throw new PlaceTaken();
  await putEntries(tx, commit.queueId, commit.entries, commit.events);
  await putRuns(tx, commit.queueId, commit.runs ?? []);
  if (commit.tally) await putTally(tx, commit.queueId, commit.tally);
  // Must come before adding tasks, so that no new task is merged into a row that is being deleted.
  const lost = await settleTasks(tx, commit.settles);
  if (lost.length > 0) throw new Lost(lost);
  await addTasks(tx, commit.tasks);
  await appendAudits(tx, commit.audits ?? []);
  if (commit.announces) await announce(tx, commit.announces);
  if (commit.deletes) await removeQueue(tx, commit.queueId);
}
