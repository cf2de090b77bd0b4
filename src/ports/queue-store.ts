import type { Entry, EntryState } from "../engine/model/entry.ts";
import type { Event } from "../engine/model/event.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { Targets } from "../engine/model/targets.ts";
import type { ClaimedRow, PlannedTask } from "./outbox.ts";
import type { RunRecord } from "./run-record.ts";
import type { Announcement } from "./webhook-message.ts";

/** A queue as the directory of queues knows it. */
export interface QueueRecord {
  readonly id: string;
  readonly repo: RepositoryRef;
  readonly branch: string;
  /** The App installation through which the repository is reached. */
  readonly installationId: number;
  /** The code host's id, which it keeps whatever it is called; null when it was not read yet. */
  readonly repositoryId: number | null;
  readonly createdAt: number;
}

/** Where a queue's repository is, and the way to it. */
export type QueuePlace = Pick<QueueRecord, "repo" | "branch" | "installationId" | "repositoryId">;

/** What one decision changes, all or nothing. */
export interface QueueCommit {
  readonly queueId: string;
  /** Consecutive, following the last event of the log. May be empty. */
  readonly events: readonly Event[];
  /** Entries that the events touched, as they are now. */
  readonly entries: readonly Entry[];
  /** Test runs that the events are about, as they are now. */
  readonly runs?: readonly RunRecord[];
  /** What the events want done. */
  readonly tasks: readonly PlannedTask[];
  /** Outbox rows whose outcome this decision has taken in: they are done. */
  readonly settles: readonly ClaimedRow[];
  /** What the events are to be told as, to those who listen. */
  readonly announces?: Announcement;
  /** Adds the queue to the directory. */
  readonly creates?: QueueRecord;
  /** Takes the queue out of the directory; its log stays. */
  readonly deletes?: boolean;
}

/**
 * What became of a commit. Unless it is `committed`, nothing was written. `conflict`: the log holds one of the sequence numbers
 * already, or the branch has a queue already: reload and decide again. `lost`: these rows were settled, given back, or claimed by
 * another worker, so that their outcome is not this commit's to take in.
 */
export type CommitResult = "committed" | "conflict" | { readonly lost: readonly ClaimedRow[] };

export interface QueueSnapshot {
  readonly seq: number;
  /** The serialised state, opaque to the store. */
  readonly state: string;
}

/** Which entries of a queue are listed; the last one submitted comes first. */
export interface EntryQuery {
  /** Null = in any state. */
  readonly state: EntryState | null;
  /** Submitted at or after this time; null = from the beginning. */
  readonly since: number | null;
  /** Submitted before this time; null = until now. */
  readonly until: number | null;
  /** Behind this one, which need not be there any more. */
  readonly after: EntryPlace | null;
  readonly limit: number;
}

/** Where an entry stands in a listing. */
export interface EntryPlace {
  readonly submittedAt: number;
  readonly pr: number;
}

/** The durable log of every queue, and what is derived from it in the same transaction. */
export interface QueueStore {
  /** The queue of a branch; owner and name compare case-insensitively. Null when there is none, or it was deleted. */
  find(repo: RepositoryRef, branch: string): Promise<QueueRecord | null>;
  /** A queue by its id, deleted ones included. */
  get(queueId: string): Promise<QueueRecord | null>;
  /**
   * Writes where a queue's repository is now; what was kept of its pull requests goes with it. False, and nothing changes, when another
   * queue is for that branch.
   */
  relocate(queueId: string, place: QueuePlace): Promise<boolean>;
  /** Every queue that is not deleted, oldest first. */
  list(): Promise<readonly QueueRecord[]>;
  /** The newest snapshot and every event after it, in order. A snapshot leaves targets to the log. */
  load(queueId: string): Promise<{ snapshot: QueueSnapshot | null; events: readonly Event[] }>;
  /** What was committed after an event, in order, by any process. Cheap when that is nothing. */
  eventsAfter(queueId: string, seq: number): Promise<readonly Event[]>;
  /** What the events of these numbers say that a pull request impacts, by number; events that say nothing are left out. */
  targets(queueId: string, seqs: readonly number[]): Promise<ReadonlyMap<number, Targets>>;
  /** Makes a commit durable: flushed to disk when the promise resolves. */
  commit(commit: QueueCommit): Promise<CommitResult>;
  saveSnapshot(queueId: string, snapshot: QueueSnapshot): Promise<void>;
  /** The last entry of a pull request in a queue, live or ended; without its targets, as all of the following. */
  lastEntry(queueId: string, pr: number): Promise<Entry | null>;
  /** The last entry whose head branch has this name, a live one before an ended one. */
  lastEntryOfBranch(queueId: string, headRef: string): Promise<Entry | null>;
  /** Entries that ended at or after a time, newest first. */
  endedEntries(queueId: string, since: number, limit: number): Promise<readonly Entry[]>;
  /** A test run of the queue, also when it decides nothing any more. */
  findRun(queueId: string, runId: string): Promise<RunRecord | null>;
  /** The last entry of each pull request, live or ended. */
  listEntries(queueId: string, query: EntryQuery): Promise<readonly Entry[]>;
}
