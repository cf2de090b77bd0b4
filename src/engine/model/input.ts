import type { Obstacle } from "../reasons/obstacle.ts";
import type { RebaseObstacle } from "../reasons/rebase-obstacle.ts";
import type { RefusalCause } from "../reasons/refusal-cause.ts";
import type { Actor, Channel } from "./actor.ts";
import type { CheckFact, RequiredCheck, RequiredChecksSource } from "./checks/required-checks.ts";
import type { TestEvidence } from "./checks/test-evidence.ts";
import type { Freeze } from "./freeze.ts";
import type { HeadExamination } from "./head-examination.ts";
import type { MergeOutcome } from "./merge-attempt.ts";
import type { Priority } from "./priority.ts";
import type { PullRequestFacts } from "./pull-request-facts.ts";
import type { RepositoryRef } from "./queue.ts";
import type { QueueSettings } from "./settings.ts";
import type { Targets } from "./targets.ts";
import type { CommitMessage, TestCommit } from "./test-run.ts";
import type { OrderedWork, Wait } from "./wait.ts";

/** What people and programs ask for. A command is either carried out or refused with a reason. */
export type Command =
  | {
      readonly type: "create_queue";
      readonly queueId: string;
      readonly repo: RepositoryRef;
      readonly branch: string;
      readonly settings: QueueSettings;
      readonly baseSha: string;
      readonly actor: Actor;
    }
  | { readonly type: "configure"; readonly changes: QueueChanges; readonly actor: Actor }
  | { readonly type: "delete_queue"; readonly actor: Actor }
  | {
      readonly type: "submit";
      /** The id that the entry gets unless the pull request is already queued. */
      readonly entryId: string;
      readonly pullRequest: PullRequestFacts;
      /** The head that the submitter names; null = the one just read. */
      readonly expectedHead: string | null;
      /** The head that was there when a command which names none was given, as far as it was seen. */
      readonly seenHead: string | null;
      /** null = the default for a new entry, unchanged for a queued one. */
      readonly priority: Priority | null;
      readonly noBatch: boolean | null;
      /** What the merged commit is to say; what is absent stays as it was. */
      readonly message?: CommitMessage;
      /** What is known of its impact at the head just read. */
      readonly targets: Targets | null;
      /** How likely a predictor finds it to be bad, 0 to 1; absent = there is none, so that the queue's own rate counts. */
      readonly risk?: number;
      readonly actor: Actor;
      readonly via: Channel;
    }
  /** Has a pull request tested on the base, without queueing it. */
  | {
      readonly type: "try";
      readonly pullRequest: PullRequestFacts;
      /** As of a submission. */
      readonly expectedHead: string | null;
      readonly seenHead: string | null;
      readonly actor: Actor;
      readonly via: Channel;
    }
  | { readonly type: "cancel_try"; readonly pr: number; readonly actor: Actor; readonly via: Channel }
  | { readonly type: "cancel"; readonly pr: number; readonly actor: Actor; readonly via: Channel }
  | { readonly type: "restart"; readonly pr: number; readonly actor: Actor };

/** What was seen to be so. Observations are never refused; late, repeated and obsolete ones change nothing. */
export type Observation =
  | { readonly type: "pull_request_observed"; readonly pullRequest: PullRequestFacts }
  /** Somebody has said what a pull request impacts at a head. */
  | {
      readonly type: "targets_observed";
      readonly pr: number;
      readonly headSha: string;
      readonly targets: Targets;
    }
  /** The base's tip, read when the queue's last event was `asOfSeq`. */
  | { readonly type: "base_observed"; readonly sha: string; readonly asOfSeq: number }
  | { readonly type: "test_commit_concluded"; readonly runId: string; readonly outcome: TestCommitOutcome }
  | {
      readonly type: "checks_observed";
      readonly runId: string;
      readonly checks: readonly CheckFact[];
      /** Nothing that reports on the test branch is queued or under way; absent = not known. */
      readonly isQuiet?: boolean;
      /** What reports say of the tests in these checks; absent = nothing. */
      readonly tests?: TestEvidence;
    }
  /** The code host did not begin a run's failed checks again, and never will. */
  | {
      readonly type: "retry_refused";
      readonly runId: string;
      readonly attempt: number;
      readonly message: string;
    }
  /** A head as it was on a base, for merging it without a test run. */
  | {
      readonly type: "head_examined";
      readonly pr: number;
      readonly headSha: string;
      readonly base: string;
      readonly outcome: HeadExamination;
    }
  /** GitHub is to be asked in the next moment for the first `steps` of the merge. */
  | { readonly type: "merge_calling"; readonly attemptId: string; readonly steps: number }
  /** GitHub carries out the merge of a pull request in its own time, and knows it by this id. */
  | {
      readonly type: "merge_requested";
      readonly attemptId: string;
      readonly pr: number;
      readonly id: string;
    }
  /** What GitHub was asked for behind the first `steps` was not done, and will not be. */
  | { readonly type: "merge_not_done"; readonly attemptId: string; readonly steps: number }
  | { readonly type: "merge_concluded"; readonly attemptId: string; readonly outcome: MergeOutcome }
  /** What is ordered of the code host, by the id of its run or merge, is tried again later. */
  | {
      readonly type: "work_postponed";
      readonly work: OrderedWork;
      readonly id: string;
      readonly wait: Wait;
    }
  /** What keeps the queue as a whole from working; null: nothing does. */
  | { readonly type: "reach_observed"; readonly obstacle: Obstacle | null }
  /** The freeze that is in force now; null: there is none. */
  | { readonly type: "freeze_observed"; readonly freeze: Freeze | null }
  /** What the repository and the branch are called now. */
  | { readonly type: "place_observed"; readonly repo: RepositoryRef; readonly branch: string }
  /** Time has passed. */
  | { readonly type: "clock" };

export type Input = Command | Observation;

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
  /** It merges cleanly, but GitHub would refuse to rebase it. */
  | { readonly kind: "not_rebaseable"; readonly pr: number; readonly why: RebaseObstacle }
  /** GitHub refuses what it takes to make it. `pr`: the pull request that was added last; null: the test branch itself. */
  | {
      readonly kind: "refused";
      readonly pr: number | null;
      readonly message: string;
      readonly cause: RefusalCause;
    }
  | { readonly kind: "no_required_checks" }
  | { readonly kind: "configuration_invalid"; readonly message: string }
  | { readonly kind: "permission_denied"; readonly message: string }
  /** Worth another try later. */
  | { readonly kind: "infrastructure_error"; readonly message: string };

/** What the engine may not know by itself: the time and new ids. */
export interface Context {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A new uuid on each call. */
  readonly newId: () => string;
}
