import type { Decision } from "./decision.ts";
import type { ExplainLink } from "./explain/explain-link.ts";
import type { Entry, Exit } from "./model/entry.ts";
import type { Input } from "./model/input.ts";
import type { MergeAttempt, MergedStep } from "./model/merge-attempt.ts";
import type { QueueState } from "./model/queue.ts";
import type { TestRun } from "./model/test-run.ts";
import type { Reason } from "./reasons/reason.ts";

/**
 * What a policy decides: which allowed tests run next, what a verdict means, and which tests lose their meaning when an entry
 * leaves. Everything else is in `lifecycle/` and the same under every policy. `policies/policy-of.ts` chooses the policy.
 */
export interface Policy {
  readonly name: "fixed" | "lanes" | "blocks";

  /** Does everything that can happen without another input: decides failures, orders a merge, starts tests. */
  settle(decision: Decision, input: Input): void;
  /** Before a queue switches modes: gives up what only another test could finish. */
  prepareSwitch(decision: Decision, reason: Reason): void;

  /** All required checks of a run have passed. */
  runPassed(decision: Decision, run: TestRun): void;
  /** A run has failed, and its failure counts. */
  runFailed(decision: Decision, run: TestRun, reason: Reason): void;
  /**
   * Whether a run in which only known flakes failed is tested again when no re-run of its checks is left, because its failure
   * would be evidence against its members.
   */
  retestsFlakes(run: TestRun): boolean;

  /** Ends an entry, or takes it out until it is ready again, and requeues every entry whose tests contain it. */
  entryLeaves(decision: Decision, entry: Entry, to: Exit, reason: Reason, othersBecause: Reason): void;
  /** Requeues an entry: its tests do not count any more. */
  requeue(decision: Decision, entry: Entry, reason: Reason): void;
  /** Requeues the entries whose tests contain a pull request that was requeued. */
  requeueFollowers(decision: Decision, pr: number, reason: Reason): void;
  /** Requeues everything, because the base is not the one that was tested. */
  requeueAll(decision: Decision, reason: Reason): void;
  /** Whether a test may contain an entry. */
  mayBeInTest(entry: Entry): boolean;

  /** The entries that have no other run to wait for than this one. */
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
  /** A pull request conflicts in the test commit of a run: it fails on the bare base, and is held otherwise. */
  buildConflict(decision: Decision, run: TestRun, culprit: number, reason: Reason): void;

  /** The proof that a step of a merge merges exactly what passed. */
  mergeProof(decision: Decision, attempt: MergeAttempt, step: MergedStep): Reason;
  /** An entry has merged: requeues what was tested without it. `run` is the one that it merged by. */
  entryMerged(decision: Decision, merged: Entry, run: TestRun | null, sha: string, reason: Reason): void;

  /** Whether an entry with a failure that is not decided yet wants another test. */
  readonly retestsPendingFailures: boolean;
  /** Why an entry is not tested or merged, from the outermost cause on. `obvious` is a cause that is the same under every policy. */
  explain(state: QueueState, entry: Entry, now: number, obvious: ExplainLink | null): readonly ExplainLink[];
  /** When the passing of time next lets a test start, in milliseconds since the epoch; null = never. */
  nextDeadline(state: QueueState): number | null;
}
