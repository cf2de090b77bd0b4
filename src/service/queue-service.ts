import type { Actor, Channel } from "../engine/model/actor.ts";
import type { Entry } from "../engine/model/entry.ts";
import type { QueueChanges } from "../engine/model/input.ts";
import type { Priority } from "../engine/model/priority.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { QueueSettings } from "../engine/model/settings.ts";
import type { CommitMessage } from "../engine/model/test-run.ts";
import type { Try } from "../engine/model/try.ts";
import type { EntryPlace, EntryQuery } from "../ports/queue-store.ts";
import type { RunRecord } from "../ports/run-record.ts";
import type { Diagnosis } from "./doctor/doctor.ts";
import type { StoredTargets, TargetsOfHead } from "./impacted-targets.ts";
import type { Outcome } from "./outcome.ts";
import type { DetailedRun } from "./test-runs.ts";
import type { EntryView, QueueView } from "./views.ts";

/** The queue of one branch. */
export interface QueueAddress {
  readonly repo: RepositoryRef;
  readonly branch: string;
}

/** A pull request in a queue, by number or by the name of its head branch. */
export type EntryAddress = QueueAddress & ({ readonly pr: number } | { readonly headRef: string });

export interface Submission extends QueueAddress {
  readonly pr: number;
  /** The head that the submitter means, at least 7 characters; null = the current one. */
  readonly expectedHead: string | null;
  /** The head that was there when a command which names none was given, as far as it was seen. */
  readonly seenHead: string | null;
  readonly priority: Priority | null;
  readonly noBatch: boolean | null;
  /** What the merged commit is to say; absent = as for any other, of a queued one as it was. */
  readonly message?: CommitMessage;
  readonly actor: Actor;
  readonly via: Channel;
}

export type TryRequest = Omit<Submission, "priority" | "noBatch" | "message">;

/** A queue whose settings were changed, and what was found wrong with its repository. */
export interface ExaminedQueue {
  readonly view: QueueView;
  readonly diagnosis: Diagnosis;
}

/** The use cases of the merge queue. Refusals are values; what throws is a failure of ours or of the database. */
export interface QueueService {
  /** Refused when GitHub itself says that the branch's rules let the queue never merge. */
  createQueue(
    queue: QueueAddress & { settings: Partial<QueueSettings>; actor: Actor },
  ): Promise<Outcome<ExaminedQueue>>;
  /** Absent queues are deleted already. */
  deleteQueue(queue: QueueAddress & { actor: Actor }): Promise<Outcome<"deleted" | "absent">>;
  readQueue(queue: QueueAddress): Promise<Outcome<QueueView>>;
  /** The repository is examined when a setting changes that its rules may be against. */
  configureQueue(
    queue: QueueAddress & { changes: QueueChanges; actor: Actor },
  ): Promise<Outcome<ExaminedQueue>>;
  /** Durable when the promise resolves. */
  submit(submission: Submission): Promise<Outcome<EntryView>>;
  /** Has a pull request tested on the base, without queueing it. Durable when the promise resolves. */
  askForTry(request: TryRequest): Promise<Outcome<Try>>;
  /** Answers whether there was a try to end. */
  cancelTry(request: QueueAddress & { pr: number; actor: Actor; via: Channel }): Promise<Outcome<boolean>>;
  /** A pull request that ended already answers its last entry unchanged. */
  cancel(entry: QueueAddress & { pr: number; actor: Actor; via: Channel }): Promise<Outcome<EntryView>>;
  restart(entry: QueueAddress & { pr: number; actor: Actor }): Promise<Outcome<EntryView>>;
  readEntry(entry: EntryAddress): Promise<Outcome<EntryView>>;
  /** Those that were ever submitted, in the order asked for, and the numbers of the others. */
  readEntries(
    entries: QueueAddress & { prs: readonly number[] },
  ): Promise<Outcome<{ entries: readonly EntryView[]; notFound: readonly number[] }>>;
  /** The last entry of each pull request, the last one submitted first; `next` is where the following page begins. */
  listEntries(
    list: QueueAddress & { query: EntryQuery },
  ): Promise<Outcome<{ entries: readonly Entry[]; next: EntryPlace | null }>>;
  /** The test runs that are in progress, oldest first. */
  readRuns(queue: QueueAddress): Promise<Outcome<readonly RunRecord[]>>;
  /** A test run, also one that has ended. */
  readRun(run: QueueAddress & { runId: string }): Promise<Outcome<DetailedRun>>;
  /** Every queue, by owner, name and branch. */
  listQueues(): Promise<readonly QueueAddress[]>;
  /** Entries that ended, the last one first. */
  recentlyEnded(queue: QueueAddress, limit: number): Promise<readonly Entry[]>;
  /** `isProven`: the code host itself says that there is such a head; otherwise one that cannot exist is refused. */
  setImpactedTargets(
    upload: QueueAddress & TargetsOfHead & { isProven: boolean },
  ): Promise<Outcome<StoredTargets>>;
}
