import type { Reason, RetryReason, SubmissionReason } from "../reasons/reason.ts";
import type { Actor, Channel } from "./actor.ts";
import type { CheckFact, RequiredCheck, RequiredChecksSource } from "./checks/required-checks.ts";
import type { EntryState, Readiness } from "./entry.ts";
import type { Freeze } from "./freeze.ts";
import type { DirectMergeObstacle } from "./head-examination.ts";
import type { QueueChanges } from "./input.ts";
import type { MergeAttempt, MergeOutcome } from "./merge-attempt.ts";
import type { Priority } from "./priority.ts";
import type { NextMode, QueueStatus, RepositoryRef } from "./queue.ts";
import type { QueueSettings } from "./settings.ts";
import type { Strategy } from "./strategy.ts";
import { parseTargets, type Targets } from "./targets.ts";
import type { CommitMessage, StartedRun, TestCommit } from "./test-run.ts";
import type { TryEvent } from "./try-event.ts";
import type { OrderedWork, Wait } from "./wait.ts";

/** Something that happened to a queue. The log of these is the queue. */
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
      /** With `switching_modes`. */
      readonly next?: NextMode;
      /** Given while an obstacle stops it: how it goes on afterwards. */
      readonly resumes?: "running" | "draining";
    }
  | { readonly type: "strategy_chosen"; readonly strategy: Strategy }
  /** A freeze begins or changes; null: it ends. These pull requests show it. */
  | { readonly type: "freeze_changed"; readonly freeze: Freeze | null; readonly prs: readonly number[] }
  /** The repository or the branch has another name now. */
  | { readonly type: "queue_moved"; readonly repo: RepositoryRef; readonly branch: string }
  | { readonly type: "queue_deleted"; readonly actor: Actor }
  | {
      readonly type: "entry_admitted";
      readonly entryId: string;
      readonly pr: number;
      readonly headSha: string;
      readonly headRef: string;
      readonly baseBranch: string;
      readonly title: string;
      readonly author: string;
      readonly url: string;
      readonly priority: Priority;
      readonly noBatch: boolean;
      readonly message?: CommitMessage;
      readonly readiness: Readiness;
      readonly targets: Targets | null;
      readonly risk?: number;
      readonly actor: Actor;
      readonly via: Channel;
      readonly reason: SubmissionReason;
    }
  | {
      readonly type: "entry_revised";
      readonly pr: number;
      readonly priority: Priority;
      readonly noBatch: boolean;
      /** Absent = as it was. */
      readonly message?: CommitMessage;
      readonly actor: Actor;
    }
  | {
      readonly type: "entry_observed";
      readonly pr: number;
      readonly title: string;
      readonly readiness: Readiness;
    }
  /** It has waited for so long that no better priority overtakes it any more. */
  | { readonly type: "entry_aged"; readonly pr: number }
  | { readonly type: "entry_targeted"; readonly pr: number; readonly targets: Targets }
  | {
      readonly type: "entry_moved";
      readonly pr: number;
      readonly from: EntryState;
      readonly to: EntryState;
      readonly reason: Reason;
    }
  /** It may merge without a test run: its head is looked at. */
  | {
      readonly type: "direct_merge_considered";
      readonly pr: number;
      readonly headSha: string;
      readonly base: string;
    }
  /** It is tested like any other. */
  | { readonly type: "direct_merge_declined"; readonly pr: number; readonly because: DirectMergeObstacle }
  /** Its build conflicts with what is ahead; it waits until those are decided. */
  | { readonly type: "entry_held"; readonly pr: number; readonly behind: readonly number[] }
  | { readonly type: "entry_released"; readonly pr: number }
  | {
      readonly type: "entry_delayed";
      readonly pr: number;
      readonly retryAt: number;
      readonly attempts: number;
      /** Given when CI broke its tests: how often that has happened. */
      readonly brokenRuns?: number;
      /** Somebody else cancelled its tests, so often in a row. */
      readonly cancelledRuns?: number;
      readonly reason: Reason;
    }
  /** It failed on what it merges onto, which may have been a flake: it is tested once more. */
  | { readonly type: "failure_doubted"; readonly pr: number }
  /** Its delay is over. */
  | { readonly type: "entry_due"; readonly pr: number }
  | { readonly type: "run_started"; readonly run: StartedRun }
  | {
      readonly type: "run_built";
      readonly runId: string;
      readonly branch: string;
      readonly parentSha: string;
      readonly commits: readonly TestCommit[];
      readonly required: readonly RequiredCheck[];
      readonly requiredSource: RequiredChecksSource;
      readonly deadline: number;
      /** Its branch gets a pull request; absent = none. */
      readonly pullRequest?: true;
    }
  | { readonly type: "run_checked"; readonly runId: string; readonly checks: readonly CheckFact[] }
  /** Everything else on the run's test branch is over, and these required checks have not appeared; empty: that is so no more. */
  | {
      readonly type: "run_missing_checks";
      readonly runId: string;
      /** The run's members. */
      readonly prs: readonly number[];
      readonly names: readonly string[];
    }
  /** Only known flakes or new tests failed: the failed checks are re-run, and their earlier results are ignored. */
  | {
      readonly type: "run_retried";
      readonly runId: string;
      /** The run's first member. */
      readonly pr: number;
      readonly attempt: number;
      readonly checks: readonly string[];
      /** The check suites that they belong to. */
      readonly suites: readonly number[];
      readonly outdated: readonly number[];
      readonly reason: RetryReason;
    }
  /** They were not: the failure counts again. */
  | {
      readonly type: "run_retry_refused";
      readonly runId: string;
      readonly pr: number;
      readonly reason: Reason;
    }
  /** Quarantined tests failed in its checks, which passed all the same. */
  | { readonly type: "run_forgiven"; readonly runId: string; readonly tests: readonly string[] }
  | {
      readonly type: "run_concluded";
      readonly runId: string;
      readonly verdict: "passed" | "failed";
      readonly reason: Reason;
      /** The run that passed in its stead. */
      readonly vouchedBy?: string;
    }
  /** The run decides nothing any more; its branch can go. */
  | {
      readonly type: "run_discarded";
      readonly runId: string;
      /** The run's first member. */
      readonly pr: number;
      /** Its branch was pushed. */
      readonly built: boolean;
      /** That branch; absent in old logs, and when there is none. */
      readonly branch?: string;
      /** CI may still be at work on it, and is told to stop; absent = not. */
      readonly cancels?: true;
      readonly reason: Reason;
    }
  /** A batch failed as a whole: its members stay in the line while the culprit is looked for. */
  | {
      readonly type: "bisection_started";
      readonly bisectionId: string;
      readonly runId: string;
      readonly members: readonly number[];
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
   * Its green prefix has passed; the member behind that is the culprit, if the failure was on P(green + 1). The others are
   * free again.
   */
  | { readonly type: "bisection_ended"; readonly bisectionId: string }
  /** Policy `adaptive`: their neighbours are looked for, and from now on is kept what is found out about them. */
  | { readonly type: "entries_considered"; readonly prs: readonly number[] }
  /** Policy `adaptive`: a passed run contains it and everything that it depends on. */
  | { readonly type: "entry_certified"; readonly pr: number; readonly runId: string }
  /** Policy `adaptive`: new tests leave suspects out. */
  | {
      readonly type: "entry_suspected";
      readonly pr: number;
      readonly suspect: boolean;
      /** How likely it is to be bad, 0 to 1. */
      readonly belief: number;
    }
  /** Policy `adaptive`: what was found out about them counts no more. */
  | {
      readonly type: "evidence_dropped";
      readonly prs: readonly number[];
      /** They keep their places among those that they depend on. */
      readonly inPlace: boolean;
    }
  /** Policy `adaptive`, `single` mode: its run has failed on exactly what merges before it. */
  | { readonly type: "entry_incriminated"; readonly pr: number; readonly runId: string }
  /** Policy `adaptive`, `single` mode: they are tested by themselves, on the base. */
  | { readonly type: "entries_isolated"; readonly prs: readonly number[] }
  | { readonly type: "block_formed"; readonly members: readonly number[] }
  /** Its members are tested by themselves; what is behind it does without it. */
  | {
      readonly type: "block_failed";
      readonly blockId: number;
      /** Members that have passed by themselves are not tested by themselves again. Absent: they are. */
      readonly keepsScreened?: true;
    }
  /** A member left, or has to be tested anew: the others wait again. */
  | { readonly type: "block_dissolved"; readonly blockId: number }
  /** Policy `adaptive`: it conflicts with the stack, and is built on everything that this stands on, too. */
  | { readonly type: "entry_widened"; readonly pr: number }
  | {
      readonly type: "base_moved";
      readonly sha: string;
      readonly pr: number | null;
      /** When the merge was ordered; for a move from outside, when it was seen. */
      readonly since: number;
    }
  | { readonly type: "merge_started"; readonly attempt: Omit<MergeAttempt, "startedAt"> }
  /** From here on nothing calls the first `steps` off. */
  | { readonly type: "merge_called"; readonly attemptId: string; readonly steps: number }
  /** GitHub carries out the merge of this pull request, and its result is asked for by this id. */
  | {
      readonly type: "merge_requested";
      readonly attemptId: string;
      readonly pr: number;
      readonly id: string;
    }
  /** All but the first `steps` can be called off again: GitHub did not do them. */
  | { readonly type: "merge_not_done"; readonly attemptId: string; readonly steps: number }
  /** The steps from this one on are called off; with the first, the merge is. */
  | { readonly type: "merge_recalled"; readonly attemptId: string; readonly from: number }
  /** What the queue has ordered of the code host has to wait, and these with it. */
  | {
      readonly type: "work_postponed";
      readonly work: OrderedWork;
      readonly prs: readonly number[];
      readonly wait: Wait;
    }
  | { readonly type: "work_resumed"; readonly work: OrderedWork }
  | { readonly type: "merge_ended"; readonly attemptId: string; readonly outcome: MergeOutcome }
  | TryEvent;

/** What JSON makes of an event's data. */
export type StoredEventData = EventData extends infer Data
  ? Data extends { readonly targets: infer T }
    ? Omit<Data, "targets"> & { readonly targets: Extract<T, null> | string | readonly number[] }
    : Data
  : never;

/** Reads what `JSON.stringify` wrote. */
export function parseEventData(json: StoredEventData): EventData {
  if (json.type === "entry_targeted") return { ...json, targets: parseTargets(json.targets) };
  if (json.type !== "entry_admitted") return json;
  return { ...json, targets: json.targets === null ? null : parseTargets(json.targets) };
}

/** An event in its place in the log: `seq` counts from 1 without gaps, `at` in milliseconds since the epoch. */
export interface Event {
  readonly seq: number;
  readonly at: number;
  readonly data: EventData;
}
