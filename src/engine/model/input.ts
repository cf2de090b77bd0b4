import type { Obstacle } from "../reasons/reason.ts";
import type { RebaseObstacle, RefusalCause } from "../reasons/refusal-cause.ts";

import type { Actor, Channel } from "./actor.ts";
import type {
  CheckFact,
  RequiredCheck,
  RequiredChecksSource,
  TestEvidence,
} from "./checks/required-checks.ts";
import type { Priority, PullRequestFacts } from "./entry.ts";
import type { HeadExamination, MergeOutcome } from "./merge-attempt.ts";
import type { Freeze, OrderedWork, Wait } from "./order/delay.ts";

import type { NamedBranch, RepositoryRef } from "./queue.ts";
import type { QueueSettings } from "./settings.ts";
import type { Targets } from "./targets.ts";
import type { CommitMessage, TestCommit } from "./test-run.ts";

/** A request by a person or a program. A command is either carried out or refused with a reason. */
export type Command =
  | {
      readonly type: "create_queue";
      readonly queueId: string;
      readonly repo: RepositoryRef;
      readonly branch: string;
      readonly settings: QueueSettings;
      /** Absent = running. */
      readonly status?: QueueChanges["status"];
      readonly baseSha: string;
      readonly actor: Actor;
    }
  | { readonly type: "configure"; readonly changes: QueueChanges; readonly actor: Actor }
  | { readonly type: "delete_queue"; readonly actor: Actor }
  | {
      readonly type: "submit";
      /** The id of the new entry. Unused if the pull request is already queued. */
      readonly entryId: string;
      readonly pullRequest: PullRequestFacts;
      /** The head that the submitter names; null = none, so `seenHead` or the head just read counts. */
      readonly expectedHead: string | null;
      /** The head at the time of a command that names none; null = not known. */
      readonly seenHead: string | null;
      /** null = a new entry gets the default, and a queued entry keeps its priority. */
      readonly priority: Priority | null;
      readonly noBatch: boolean | null;
      /** The message of the merged commit; absent parts stay unchanged. */
      readonly message?: CommitMessage;
      /** The targets that it impacts at the head just read; null = not known. */
      readonly targets: Targets | null;
      /** The probability that it is bad according to a predictor, 0 to 1; absent = no predictor, so the queue's own failure rate counts. */
      readonly risk?: number;
      readonly actor: Actor;
      readonly via: Channel;
    }
  /** Tests a pull request on the base without queueing it. */
  | {
      readonly type: "try";
      readonly pullRequest: PullRequestFacts;
      /** This and the next as in `submit`. */
      readonly expectedHead: string | null;
      readonly seenHead: string | null;
      readonly actor: Actor;
      readonly via: Channel;
    }
  | { readonly type: "cancel_try"; readonly pr: number; readonly actor: Actor; readonly via: Channel }
  | { readonly type: "cancel"; readonly pr: number; readonly actor: Actor; readonly via: Channel }
  | { readonly type: "restart"; readonly pr: number; readonly actor: Actor };

/** Only commands name who gave them. */
export function isCommand(input: Input): input is Command {
  return "actor" in input;
}

/** A fact reported to the queue. Observations are never refused; late, repeated and obsolete ones change nothing. */
export type Observation =
  | {
      readonly type: "pull_request_observed";
      readonly pullRequest: PullRequestFacts;
      /** The head was pushed by somebody who may submit it. An entry that is not ready then keeps its submission. */
      readonly keepsSubmission?: boolean;
      /** A bot that the repository lists has only rebased it. It keeps its place, and is tested again. */
      readonly isRebase?: boolean;
      /** The code host has shown it for so long that it counts, although a later change was recorded. */
      readonly isBelieved?: boolean;
    }
  /** The targets that a pull request impacts at a head were uploaded. */
  | {
      readonly type: "targets_observed";
      readonly pr: number;
      readonly headSha: string;
      readonly targets: Targets;
    }
  /** The base SHA, read when the queue's last event was `asOfSeq`. */
  | { readonly type: "base_observed"; readonly sha: string; readonly asOfSeq: number }
  /**
   * The checks that must pass on test branches now. The queue knows those of its own settings, so an observation of these only applies
   * them.
   */
  | {
      readonly type: "requirements_observed";
      readonly required: readonly RequiredCheck[];
      readonly source: RequiredChecksSource;
    }
  | { readonly type: "test_commit_concluded"; readonly runId: string; readonly outcome: TestCommitOutcome }
  | {
      readonly type: "checks_observed";
      readonly runId: string;
      readonly checks: readonly CheckFact[];
      /** Nothing that reports on the test branch is queued or in flight; absent = not known. */
      readonly isQuiet?: boolean;
      readonly brokenWorkflows?: readonly string[];
      /** What test reports say about these checks; absent = nothing. */
      readonly tests?: TestEvidence;
    }
  /** The code host did not re-run a run's failed checks, and never will. */
  | {
      readonly type: "retry_refused";
      readonly runId: string;
      readonly attempt: number;
      readonly message: string;
    }
  /** The result of examining a head against a base, for a merge without a test run. */
  | {
      readonly type: "head_examined";
      readonly pr: number;
      readonly headSha: string;
      readonly base: string;
      readonly outcome: HeadExamination;
    }
  /** GitHub is about to be asked for the first `steps` of the merge. */
  | { readonly type: "merge_calling"; readonly attemptId: string; readonly steps: number }
  /** GitHub carries out the merge of a pull request asynchronously, under this id. */
  | {
      readonly type: "merge_requested";
      readonly attemptId: string;
      readonly pr: number;
      readonly id: string;
    }
  /** GitHub was asked for more than the first `steps`, but did not carry out the rest, and will not. */
  | { readonly type: "merge_not_done"; readonly attemptId: string; readonly steps: number }
  | { readonly type: "merge_concluded"; readonly attemptId: string; readonly outcome: MergeOutcome }
  /** Work that was ordered from the code host is tried again later. `id` is that of its run or merge attempt. */
  | {
      readonly type: "work_postponed";
      readonly work: OrderedWork;
      readonly id: string;
      readonly wait: Wait;
    }
  /** The obstacle that keeps the whole queue from working; null = there is none. */
  | { readonly type: "reach_observed"; readonly obstacle: Obstacle | null }
  /** The freeze that is in force now; null = there is none. */
  | { readonly type: "freeze_observed"; readonly freeze: Freeze | null }
  /** The current names of the repository and the branch. `from`: the queue's place when the code host was asked. */
  | ({ readonly type: "place_observed"; readonly from: NamedBranch } & NamedBranch)
  /** Time has passed. */
  | { readonly type: "clock" };

export type Input = Command | Observation;
export type InputOf<Type extends Input["type"]> = Extract<Input, { readonly type: Type }>;

/** Fields of `updateQueue`; absent = unchanged. */
export interface QueueChanges extends Partial<QueueSettings> {
  readonly status?: "running" | "paused" | "draining";
}

export type TestCommitOutcome =
  | {
      readonly kind: "built";
      readonly branch: string;
      readonly parentSha: string;
      readonly commits: readonly TestCommit[];
      readonly required: readonly RequiredCheck[];
      readonly requiredSource: RequiredChecksSource;
    }
  /** Merging this pull request onto the stack conflicts. */
  | { readonly kind: "conflict"; readonly pr: number }
  /** The pull request adds nothing to the stack. */
  | { readonly kind: "empty"; readonly pr: number }
  /** The pull request merges cleanly, but GitHub would refuse to rebase it. */
  | { readonly kind: "not_rebaseable"; readonly pr: number; readonly why: RebaseObstacle }
  /** GitHub refuses a step of building it. `pr`: the pull request that was added last; null = GitHub refuses the test branch itself. */
  | {
      readonly kind: "refused";
      readonly pr: number | null;
      readonly message: string;
      readonly cause: RefusalCause;
    }
  | { readonly kind: "no_required_checks" }
  | { readonly kind: "configuration_invalid"; readonly message: string }
  | { readonly kind: "permission_denied"; readonly message: string }
  /** A temporary error: building is retried later. */
  | { readonly kind: "infrastructure_error"; readonly message: string };

/** The time and new ids. The caller provides them, so that the engine stays pure. */
export interface Context {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Returns a new uuid on each call. */
  readonly newId: () => string;
}
