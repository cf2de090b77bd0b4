import type { Reason, RetryReason, SubmissionReason } from "../reasons/reason.ts";
import type { Actor, Channel } from "./actor.ts";
import type { CheckFact, RequiredCheck, RequiredChecksSource } from "./checks/required-checks.ts";
import type { Entry, EntryState, Priority, Readiness } from "./entry.ts";
import type { QueueChanges } from "./input.ts";
import type { DirectMergeObstacle, MergeAttempt, MergeOutcome } from "./merge-attempt.ts";
import type { Freeze, OrderedWork, Stall, Wait } from "./order/delay.ts";
import type { NextMode, QueueStatus, RepositoryRef } from "./queue.ts";
import type { QueueSettings, Strategy } from "./settings.ts";
import type { Targets } from "./targets.ts";
import type { BuiltRun, CommitMessage, Members, StartedRun } from "./test-run.ts";
import type { BaseTestEvent, TryEvent } from "./tries/try.ts";

/** Something that happened to a queue. A queue's state is derived from the log of its events alone. */
export type EventData =
  | {
      readonly type: "queue_created";
      readonly queueId: string;
      readonly repo: RepositoryRef;
      readonly branch: string;
      readonly settings: QueueSettings;
      readonly baseSha: string;
      readonly actor: Actor;
    }
  | {
      readonly type: "queue_configured";
      readonly changes: Omit<QueueChanges, "status">;
      readonly actor: Actor;
    }
  | {
      readonly type: "queue_status_changed";
      readonly to: QueueStatus;
      readonly reason: Reason;
      /** Given with the status `switching_modes`. */
      readonly next?: NextMode;
      /** Given while an obstacle stops the queue: its status once the obstacle is gone. */
      readonly resumes?: "running" | "draining";
    }
  | { readonly type: "strategy_chosen"; readonly strategy: Strategy }
  /** A freeze begins or changes; null: it ends. `prs` are the pull requests that display it. */
  | { readonly type: "freeze_changed"; readonly freeze: Freeze | null; readonly prs: readonly number[] }
  /** Nothing has merged for too long; null: that is over. `prs` are the pull requests that display it. */
  | { readonly type: "stall_changed"; readonly stall: Stall | null; readonly prs: readonly number[] }
  /** The repository was renamed or transferred, or the branch was renamed. */
  | { readonly type: "queue_moved"; readonly repo: RepositoryRef; readonly branch: string }
  | { readonly type: "queue_deleted"; readonly actor: Actor }
  | ({
      readonly type: "entry_admitted";
      readonly entryId: string;
      readonly actor: Actor;
      readonly via: Channel;
      readonly reason: SubmissionReason;
    } & Pick<Entry, "pr" | "headSha" | "headRef" | "baseBranch" | "title" | "author" | "url" | "priority"> &
      Pick<Entry, "noBatch" | "message" | "readiness" | "targets" | "risk" | "updatedAt">)
  | {
      readonly type: "entry_revised";
      readonly pr: number;
      readonly priority: Priority;
      readonly noBatch: boolean;
      /** Absent = unchanged. */
      readonly message?: CommitMessage;
      readonly actor: Actor;
    }
  | {
      readonly type: "entry_observed";
      readonly pr: number;
      readonly title: string;
      readonly readiness: Readiness;
      /** The head to which its submission moves; absent = unchanged. Its targets at that head are not known yet. */
      readonly headSha?: string;
      /** The branch of the queue, if it had another base before; absent = unchanged. */
      readonly baseBranch?: string;
      /** As in `Entry`; absent = unchanged. */
      readonly updatedAt?: number;
    }
  /** It has waited so long that only urgent entries can still overtake it. */
  | { readonly type: "entry_aged"; readonly pr: number }
  | { readonly type: "entry_targeted"; readonly pr: number; readonly targets: Targets }
  | {
      readonly type: "entry_moved";
      readonly pr: number;
      readonly from: EntryState;
      readonly to: EntryState;
      readonly reason: Reason;
    }
  /** It may be able to merge without a test run, so its head is examined. */
  | {
      readonly type: "direct_merge_considered";
      readonly pr: number;
      readonly headSha: string;
      readonly base: string;
    }
  /** It is tested like any other entry. */
  | { readonly type: "direct_merge_declined"; readonly pr: number; readonly because: DirectMergeObstacle }
  /** Its build conflicts with entries ahead, so it waits until they are decided. */
  | { readonly type: "entry_held"; readonly pr: number; readonly behind: readonly number[] }
  | { readonly type: "entry_released"; readonly pr: number }
  | {
      readonly type: "entry_delayed";
      readonly pr: number;
      readonly retryAt: number;
      readonly attempts: number;
      /** Given if CI broke its tests: the number of times so far. */
      readonly brokenRuns?: number;
      /** Given if somebody else cancelled its tests: the number of times in a row. */
      readonly cancelledRuns?: number;
      readonly reason: Reason;
    }
  /** It failed on its actual predecessors. The failure may be a flake, so it is tested once more. */
  | { readonly type: "failure_doubted"; readonly pr: number }
  /** Its delay is over. */
  | { readonly type: "entry_due"; readonly pr: number }
  | { readonly type: "run_started"; readonly run: StartedRun }
  | ({ readonly type: "run_built" } & BuiltRun)
  | { readonly type: "run_checked"; readonly runId: string; readonly checks: readonly CheckFact[] }
  /** The checks `names` are missing on the run's test branch, where everything else has ended; empty = none is missing any more. */
  | {
      readonly type: "run_missing_checks";
      readonly runId: string;
      /** The run's members. */
      readonly prs: readonly number[];
      readonly names: readonly string[];
      readonly brokenWorkflows?: readonly string[];
    }
  /** The checks that must pass have changed since the run's test branch was built. The run may be that of a try or of the base. */
  | {
      readonly type: "run_requirements_changed";
      readonly runId: string;
      /** The run's members. */
      readonly prs: readonly number[];
      readonly required: readonly RequiredCheck[];
      readonly requiredSource: RequiredChecksSource;
      /** The names of the checks that must pass only since now, and of those that need not pass any more. */
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** The run had ended, and its verdict does not hold for the new requirements: it is running again. */
      readonly reopens?: true;
      readonly deadline: number | null;
    }
  /** Only known flakes or new tests failed. The failed checks are re-run, and their earlier results are ignored. */
  | {
      readonly type: "run_retried";
      readonly runId: string;
      /** The run's first member. */
      readonly pr: number;
      readonly attempt: number;
      readonly checks: readonly string[];
      /** The check suites of these checks. */
      readonly suites: readonly number[];
      readonly outdated: readonly number[];
      readonly reason: RetryReason;
    }
  /** The failed checks could not be re-run, so the failure counts. */
  | {
      readonly type: "run_retry_refused";
      readonly runId: string;
      readonly pr: number;
      readonly reason: Reason;
    }
  /** Quarantined tests failed in its checks, but the checks passed. */
  | { readonly type: "run_forgiven"; readonly runId: string; readonly tests: readonly string[] }
  | {
      readonly type: "run_concluded";
      readonly runId: string;
      readonly verdict: "passed" | "failed";
      readonly reason: Reason;
      /** A passed run that contains this one, so that this one counts as passed. */
      readonly vouchedBy?: string;
    }
  /** The run no longer decides anything, so its branch can be removed. */
  | {
      readonly type: "run_discarded";
      readonly runId: string;
      /** The run's first member. */
      readonly pr: number;
      /** Its branch was pushed. */
      readonly built: boolean;
      /** The pushed branch; absent in old logs, and if there is none. */
      readonly branch?: string;
      /** CI may still be testing it, so its workflow runs are cancelled; absent = they are not. */
      readonly cancels?: true;
      readonly reason: Reason;
    }
  /** A batch failed as a whole. Its members stay in the line while the bisection looks for the culprit. */
  | {
      readonly type: "bisection_started";
      readonly bisectionId: string;
      readonly runId: string;
      readonly members: Members;
      readonly failure: Reason;
    }
  | {
      readonly type: "bisection_narrowed";
      readonly bisectionId: string;
      readonly green: number;
      readonly greenRunId: string | null;
      readonly red: number;
      readonly redRunId: string | null;
      readonly failure: Reason;
    }
  /**
   * Its green prefix has passed. If the failure was on P(green + 1), the member behind the prefix is the culprit. The other
   * members are released.
   */
  | { readonly type: "bisection_ended"; readonly bisectionId: string }
  /** Strategy `beliefs`: the neighbours of these entries are determined, and from now on evidence about these entries is kept. */
  | { readonly type: "entries_considered"; readonly prs: readonly number[] }
  /** Strategy `beliefs`: a passed run contains it and all of its dependencies. */
  | { readonly type: "entry_certified"; readonly pr: number; readonly runId: string }
  /** Strategy `beliefs`: it becomes a suspect, or stops being one. New tests leave suspects out. */
  | {
      readonly type: "entry_suspected";
      readonly pr: number;
      readonly suspect: boolean;
      /** How likely it is to be bad, 0 to 1. */
      readonly belief: number;
    }
  /** Strategy `beliefs`: the evidence about these entries no longer counts. */
  | {
      readonly type: "evidence_dropped";
      readonly prs: readonly number[];
      /** They keep their places in the order in which entries are tested on top of each other. */
      readonly inPlace: boolean;
    }
  /** Strategy `beliefs`, `single` mode: its run has failed on its actual predecessors. */
  | { readonly type: "entry_incriminated"; readonly pr: number; readonly runId: string }
  /** Strategy `beliefs`, `single` mode: each of them is tested by itself on the base. */
  | { readonly type: "entries_isolated"; readonly prs: readonly number[] }
  | { readonly type: "block_formed"; readonly members: Members }
  /** Each of its members is tested by itself. The blocks behind it are tested without it. */
  | {
      readonly type: "block_failed";
      readonly blockId: number;
      /** Members that have passed by themselves are not tested by themselves again. Absent = they are. */
      readonly keepsScreened?: true;
    }
  /** The block is given up, e.g. because a member left or must be tested again. Its remaining members wait again. */
  | { readonly type: "block_dissolved"; readonly blockId: number }
  /** Strategy `beliefs`: its build conflicted, so from now on it is built on its transitive dependencies, not only on the direct ones. */
  | { readonly type: "entry_widened"; readonly pr: number }
  | {
      readonly type: "base_moved";
      readonly sha: string;
      readonly pr: number | null;
      /** For a merge by the queue, when it was ordered; for a move from outside, when it was seen. */
      readonly since: number;
    }
  | { readonly type: "merge_started"; readonly attempt: Omit<MergeAttempt, "startedAt"> }
  /** From now on the first `steps` cannot be recalled. */
  | { readonly type: "merge_called"; readonly attemptId: string; readonly steps: number }
  /** GitHub carries out the merge of this pull request asynchronously. The id is used to query the result. */
  | {
      readonly type: "merge_requested";
      readonly attemptId: string;
      readonly pr: number;
      readonly id: string;
    }
  /** GitHub did not carry out the steps after the first `steps`, so these can be recalled again. */
  | { readonly type: "merge_not_done"; readonly attemptId: string; readonly steps: number }
  /** The steps from index `from` on are recalled; 0 = the whole merge. */
  | { readonly type: "merge_recalled"; readonly attemptId: string; readonly from: number }
  /** Work that the queue ordered from the code host has to wait, and these pull requests with it. */
  | {
      readonly type: "work_postponed";
      readonly work: OrderedWork;
      readonly prs: readonly number[];
      readonly wait: Wait;
    }
  | { readonly type: "work_resumed"; readonly work: OrderedWork }
  | { readonly type: "merge_ended"; readonly attemptId: string; readonly outcome: MergeOutcome }
  | TryEvent
  | BaseTestEvent;

export type EventOf<Type extends EventData["type"]> = Extract<EventData, { readonly type: Type }>;

/** An event in the log. `seq` counts from 1 without gaps; `at` is in milliseconds since the epoch. */
export interface Event {
  readonly seq: number;
  readonly at: number;
  readonly data: EventData;
}
