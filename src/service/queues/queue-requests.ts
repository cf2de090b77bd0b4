import type { Actor, Channel } from "../../engine/model/actor.ts";
import type { Priority } from "../../engine/model/entry.ts";
import type { QueueChanges } from "../../engine/model/input.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { CommitMessage } from "../../engine/model/test-run.ts";
import type { Diagnosis } from "../doctor/doctor.ts";
import type { QueueAddress } from "../runtime/directory.ts";
import type { TargetsOfHead } from "../runtime/impacted-targets.ts";
import type { QueueView } from "../runtime/views.ts";

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

export interface ExaminedQueue {
  readonly view: QueueView;
  readonly diagnosis: Diagnosis;
}

/** A command about one pull request of a queue. */
export interface EntryCommand extends QueueAddress {
  readonly pr: number;
  readonly actor: Actor;
  readonly via: Channel;
}

export interface NewQueue extends QueueAddress {
  readonly settings: Partial<QueueSettings>;
  /** Absent = running. */
  readonly status?: QueueChanges["status"];
  readonly actor: Actor;
}

/** Targets of a head. `headSha` null: the current head. */
export interface TargetsUpload extends QueueAddress, Omit<TargetsOfHead, "headSha"> {
  readonly headSha: string | null;
  /** The code host itself has confirmed that the head exists. Otherwise a head that cannot exist is refused. */
  readonly isProven: boolean;
}
