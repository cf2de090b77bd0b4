import type { Entry } from "../../engine/model/entry.ts";
import type { Event } from "../../engine/model/event.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Targets } from "../../engine/model/targets.ts";
import type { ClaimedRow } from "../../ports/outbox.ts";
import type {
  CommitResult,
  EntryQuery,
  QueueCommit,
  QueueRecord,
  QueueSnapshot,
  QueueStore,
} from "../../ports/queue-store.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import { appendAudits } from "../access/audit-log.ts";
import { addTasks, settleTasks } from "../leased/outbox.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { announce } from "./announce.ts";
import { endedEntries, lastEntry, lastEntryOfBranch, listEntries, putEntries } from "./entry-projection.ts";
import { appendEvents, eventsAfter, insertSnapshot, newestSnapshot, targetsOfEvents } from "./event-log.ts";
import { addQueue, findQueue, getQueue, listQueues, removeQueue } from "./queue-directory.ts";
import { relocateQueue } from "./relocate-queue.ts";
import { findRun, putRuns } from "./run-projection.ts";

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

export class SqlQueueStore implements QueueStore {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  find(repo: RepositoryRef, branch: string): Promise<QueueRecord | null> {
    return findQueue(this.#db, repo, branch);
  }

  get(queueId: string): Promise<QueueRecord | null> {
    return getQueue(this.#db, queueId);
  }

  list(): Promise<readonly QueueRecord[]> {
    return listQueues(this.#db);
  }

  async load(queueId: string): Promise<{ snapshot: QueueSnapshot | null; events: readonly Event[] }> {
    const snapshot = await newestSnapshot(this.#db, queueId);
    const events = await eventsAfter(this.#db, queueId, snapshot?.seq ?? 0);
    return { snapshot, events };
  }

  eventsAfter(queueId: string, seq: number): Promise<readonly Event[]> {
    return eventsAfter(this.#db, queueId, seq);
  }

  targets(queueId: string, seqs: readonly number[]): Promise<ReadonlyMap<number, Targets>> {
    return targetsOfEvents(this.#db, queueId, seqs);
  }

  async commit(commit: QueueCommit): Promise<CommitResult> {
    try {
      await this.#writes.run((tx) => writeCommit(tx, commit));
      return "committed";
    } catch (error) {
      if (error instanceof Conflict) return "conflict";
      if (error instanceof PlaceTaken) return "place_taken";
      if (error instanceof Lost) return { lost: error.rows };
      throw error;
    }
  }

  async saveSnapshot(queueId: string, snapshot: QueueSnapshot): Promise<void> {
    await this.#writes.run((tx) => insertSnapshot(tx, queueId, snapshot));
  }

  lastEntry(queueId: string, pr: number): Promise<Entry | null> {
    return lastEntry(this.#db, queueId, pr);
  }

  lastEntryOfBranch(queueId: string, headRef: string): Promise<Entry | null> {
    return lastEntryOfBranch(this.#db, queueId, headRef);
  }

  endedEntries(queueId: string, since: number, limit: number): Promise<readonly Entry[]> {
    return endedEntries(this.#db, queueId, since, limit);
  }

  findRun(queueId: string, runId: string): Promise<RunRecord | null> {
    return findRun(this.#db, queueId, runId);
  }

  listEntries(queueId: string, query: EntryQuery): Promise<readonly Entry[]> {
    return listEntries(this.#db, queueId, query);
  }
}

async function writeCommit(tx: Tx, commit: QueueCommit): Promise<void> {
  if (commit.creates && !(await addQueue(tx, commit.creates))) throw new Conflict();
  if (!(await appendEvents(tx, commit.queueId, commit.events))) throw new Conflict();
  if (commit.relocates && !(await relocateQueue(tx, commit.queueId, commit.relocates)))
    throw new PlaceTaken();
  await putEntries(tx, commit.queueId, commit.entries);
  await putRuns(tx, commit.queueId, commit.runs ?? []);
  // Must come before adding tasks, so that no new task is merged into a row that is being deleted.
  const lost = await settleTasks(tx, commit.settles);
  if (lost.length > 0) throw new Lost(lost);
  await addTasks(tx, commit.tasks);
  await appendAudits(tx, commit.audits ?? []);
  if (commit.announces) await announce(tx, commit.announces);
  if (commit.deletes) await removeQueue(tx, commit.queueId);
}
