import type { Decision } from "./decision.ts";
import type { ExplainLink } from "./explain/explain-link.ts";
import type { Entry, Exit } from "./model/entry.ts";
import type { Input } from "./model/input.ts";
import type { MergeAttempt, MergedStep } from "./model/merge-attempt.ts";
import type { QueueState } from "./model/queue.ts";
import type { TestRun } from "./model/test-run.ts";
import type { Reason } from "./reasons/reason.ts";

/**
 * The decisions of a policy: which allowed tests run next, what a verdict means, and which tests become invalid when an entry leaves.
 * Everything else is in `lifecycle/`, and is the same under every policy. `policies/policy-of.ts` chooses the policy.
 */
export interface Policy {
  readonly name: "fixed" | "lanes" | "blocks";

  /** Does everything that can happen without another input: decides failures, orders a merge, starts tests. */
  settle(decision: Decision, input: Input): void;
  /** Called before a queue switches modes. Gives up what only another test could finish. */
  prepareSwitch(decision: Decision, reason: Reason): void;

  /** Called when all required checks of a run have passed. */
  runPassed(decision: Decision, run: TestRun): void;
  /** Called when a run has failed and its failure counts. */
  runFailed(decision: Decision, run: TestRun, reason: Reason): void;
  /**
   * Whether a run in which only known flakes failed is tested again when no re-run of its checks is left, because its failure
   * would be evidence against its members.
   */
  retestsFlakes(run: TestRun): boolean;

  /** Called when an ended run is running again, because other checks must pass now. Entries that relied on its verdict wait for the next. */
  runReopened(decision: Decision, run: TestRun, reason: Reason): void;

  /** Ends an entry, or takes it out until it is ready again, and requeues every entry whose tests contain it. */
  entryLeaves(decision: Decision, entry: Entry, to: Exit, reason: Reason, othersBecause: Reason): void;
  /** Requeues an entry: its tests do not count any more. */
  requeue(decision: Decision, entry: Entry, reason: Reason): void;
  /** Requeues the entries whose tests contain a pull request that was requeued. */
  requeueFollowers(decision: Decision, pr: number, reason: Reason): void;
  /** Requeues everything, such as when the base is not the one that was tested. */
  requeueAll(decision: Decision, reason: Reason): void;
  mayBeInTest(entry: Entry): boolean;

  /** The entries that are in test while a run is: its members, or all members of the bisection that it belongs to. */
  decidesAbout(state: QueueState, run: TestRun): readonly number[];
  /** The entries that wait for this run alone. */
  waitingFor(state: QueueState, run: TestRun): readonly number[];
  /** Gives a run up without a verdict; its members wait again. */
  abandonRun(
    decision: Decision,
    run: TestRun,
    reason: Reason,
    followers: "AHEAD_HELD" | "AHEAD_RESTARTED",
  ): void;
  /** Evicts the entries that wait for a run, because none of them can be tested. */
  failRun(decision: Decision, run: TestRun, reason: Reason): void;
  /** Called when a pull request conflicts in the test commit of a run. On the bare base it is evicted; otherwise it is held or rebuilt. */
  buildConflict(decision: Decision, run: TestRun, culprit: number, reason: Reason): void;

  /**
   * Whether the members of a run may merge next once everything that it contains below them has merged. If so, `entryMerged` requeues the
   * entries that were tested without them.
   */
  mayMergeNext(state: QueueState, run: TestRun): boolean;
  /** Returns the proof that a merge step merges exactly what passed. */
  mergeProof(decision: Decision, attempt: MergeAttempt, step: MergedStep): Reason;
  /** Called when an entry has merged. Requeues the entries that depend on it but were tested without it. `run` is the run of the entry. */
  entryMerged(decision: Decision, merged: Entry, run: TestRun | null, sha: string, reason: Reason): void;

  /** Returns the number of tests of waiting entries that may start now. */
  freeSlots(state: QueueState): number;
  /** Returns the slots that limit these tests at present. */
  slotsInUse(state: QueueState): { readonly used: number; readonly of: number };
  /** Whether an entry in `pending_failure` waits for another test. */
  readonly retestsPendingFailures: boolean;
  /** Why an entry is not tested or merged, from the outermost cause on. `obvious` is a cause that is the same under every policy. */
  explain(state: QueueState, entry: Entry, now: number, obvious: ExplainLink | null): readonly ExplainLink[];
  /** Returns when the passing of time next allows a test to start, in milliseconds since the epoch; null = never. */
  nextDeadline(state: QueueState): number | null;
}
