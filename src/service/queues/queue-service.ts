import type { Actor, Channel } from "../../engine/model/actor.ts";
import type { Entry, Priority } from "../../engine/model/entry.ts";
import type { QueueChanges } from "../../engine/model/input.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { CommitMessage } from "../../engine/model/test-run.ts";
import type { Try } from "../../engine/model/tries/try.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { EntryPlace, EntryQuery } from "../../store/queue/queue-store.ts";
import type { Diagnosis } from "../doctor/doctor.ts";
import type { QueueAddress } from "../runtime/directory.ts";
import type { StoredTargets, TargetsOfHead } from "../runtime/impacted-targets.ts";
import type { Outcome } from "../runtime/outcome.ts";
import type { EntryView, QueueView } from "../runtime/views.ts";
import type { EntryStory } from "./entry-stories.ts";
import type { Price, PricedAction } from "./price-action.ts";
import type { DetailedRun } from "./test-runs.ts";

/** A pull request in a queue, by number or by the name of its head branch. */
export type EntryAddress = QueueAddress & ({ readonly pr: number } | { readonly headRef: string });

export interface Submission extends QueueAddress {
  readonly pr: number;
  /** The head that the submitter means; null means the current one. */
  readonly expectedHead: string | null;
  /** The head that existed when a command without a head was given, as far as known. */
  readonly seenHead: string | null;
  readonly priority: Priority | null;
  readonly noBatch: boolean | null;
  /**
   * The message of the merged commit. When absent, a queued entry keeps its message and a new one has none of
   * its own.
   */
  readonly message?: CommitMessage;
  readonly actor: Actor;
  readonly via: Channel;
}

export type TryRequest = Omit<Submission, "priority" | "noBatch" | "message">;

/** A queue whose settings were changed, and the problems found with its repository. */
export interface ExaminedQueue {
  readonly view: QueueView;
  readonly diagnosis: Diagnosis;
}

/**
 * The use cases of the merge queue. Refusals are values. Thrown errors are failures of the service or of the
 * database.
 */
export interface QueueService {
  /** Refused when GitHub itself states that the branch's rules prevent every merge of the queue. */
  createQueue(
    queue: QueueAddress & {
      settings: Partial<QueueSettings>;
      /** Absent = running. */
      status?: QueueChanges["status"];
      actor: Actor;
    },
  ): Promise<Outcome<ExaminedQueue>>;
  /** Deleting an absent queue succeeds. */
  deleteQueue(queue: QueueAddress & { actor: Actor }): Promise<Outcome<"deleted" | "absent">>;
  readQueue(queue: QueueAddress): Promise<Outcome<QueueView>>;
  /** The queues of an organisation's repositories, the oldest first. */
  listQueues(organisation: string): Promise<readonly QueueState[]>;
  /** Whether anyone may read the queue's page; false when there is no such queue. */
  isPagePublic(queue: QueueAddress): Promise<boolean>;
  /** The repository is examined when a setting changes that its rules may conflict with. */
  configureQueue(
    queue: QueueAddress & { changes: QueueChanges; actor: Actor },
  ): Promise<Outcome<ExaminedQueue>>;
  /** Durable when the promise resolves. `wasQueued`: this head was queued already, and kept its place. */
  submit(submission: Submission): Promise<Outcome<EntryView & { readonly wasQueued: boolean }>>;
  /** Tests a pull request on the base without queueing it. Durable when the promise resolves. */
  askForTry(request: TryRequest): Promise<Outcome<Try>>;
  /** Returns whether there was a try to cancel. */
  cancelTry(request: QueueAddress & { pr: number; actor: Actor; via: Channel }): Promise<Outcome<boolean>>;
  /** For a pull request that already ended, returns its last entry unchanged. */
  cancel(entry: QueueAddress & { pr: number; actor: Actor; via: Channel }): Promise<Outcome<EntryView>>;
  restart(entry: QueueAddress & { pr: number; actor: Actor }): Promise<Outcome<EntryView>>;
  /** What actions would do to the queue as it is now. Nothing is carried out. */
  price(queue: QueueAddress & { actions: readonly PricedAction[] }): Promise<Outcome<Price>>;
  /**
   * The permission on the repository that somebody needs to queue, cancel and restart. Throws a failure of the
   * code host.
   */
  permissionToSubmit(queue: QueueAddress): Promise<"write" | "admin">;
  readEntry(entry: EntryAddress): Promise<Outcome<EntryView>>;
  /** What happened to a pull request so far. Costs the same in a queue of any length and age. */
  readStory(entry: QueueAddress & { readonly pr: number }): Promise<Outcome<EntryStory>>;
  /** The pull requests that were ever submitted, in the requested order, and the numbers of the others. */
  readEntries(
    entries: QueueAddress & { prs: readonly number[] },
  ): Promise<Outcome<{ entries: readonly EntryView[]; notFound: readonly number[] }>>;
  /**
   * The last entry of each pull request, the last submitted first. `next` is the start of the following page.
   */
  listEntries(
    list: QueueAddress & { query: EntryQuery },
  ): Promise<Outcome<{ entries: readonly Entry[]; next: EntryPlace | null }>>;
  /** The test runs in progress, oldest first. */
  readRuns(queue: QueueAddress): Promise<Outcome<readonly RunRecord[]>>;
  /** A test run, in progress or ended. */
  readRun(run: QueueAddress & { runId: string }): Promise<Outcome<DetailedRun>>;
  /** Ended entries, the last ended first. */
  recentlyEnded(queue: QueueAddress, limit: number): Promise<readonly Entry[]>;
  /**
   * `headSha` null: the present head. `isProven`: the code host itself says that the head exists. Otherwise a head
   * that cannot exist is refused.
   */
  setImpactedTargets(
    upload: QueueAddress &
      Omit<TargetsOfHead, "headSha"> & { readonly headSha: string | null; readonly isProven: boolean },
  ): Promise<Outcome<StoredTargets>>;
}
