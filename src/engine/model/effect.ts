import { assertNever } from "../assert-never.ts";
import { isStillUnknown } from "./entry.ts";
import type { EventData } from "./event.ts";
import type { EndedRun, TestCommit } from "./test-run.ts";
import type { DroppedTryRun, TryReport } from "./tries/try.ts";

/** An action outside the engine that an event requires. Every effect is idempotent, and can be derived again from its event. */
export type Effect =
  /** Builds and pushes the run's test branch; reports `test_commit_concluded`. */
  | { readonly type: "build_test_commit"; readonly runId: string; readonly pr: number }
  /** Removes the run's test branch. Its test pull request, if there is one, closes with it. */
  | ({ readonly type: "remove_test_branch" } & EndedRun)
  /** Removes the branches on which a queue built its test commits. */
  | { readonly type: "remove_scratch_branches" }
  /** Opens a pull request for the run's test branch. */
  | { readonly type: "open_test_pull_request"; readonly runId: string; readonly pr: number }
  /** Cancels the workflow runs of the run's test branch that are still in flight. */
  | ({ readonly type: "cancel_workflow_runs" } & EndedRun)
  /** Re-runs the failed checks; reports `retry_refused` if that is impossible. */
  | {
      readonly type: "rerun_failed_checks";
      readonly runId: string;
      /** Counts from 1. */
      readonly attempt: number;
      readonly suites: readonly number[];
      /** The check runs that failed. If newer check runs have replaced them, there is nothing to do. */
      readonly outdated: readonly number[];
    }
  /** Checks whether a head may merge without a test run; reports `head_examined`. */
  | { readonly type: "examine_head"; readonly pr: number }
  /** Builds and pushes the test branch of a try; reports `test_commit_concluded`. */
  | { readonly type: "build_try"; readonly runId: string; readonly pr: number }
  /** Builds and pushes the test branch of the base alone; reports `test_commit_concluded`. */
  | { readonly type: "build_base_test"; readonly runId: string; readonly pr: number }
  /** Reports on the pull request how its try ended. */
  | { readonly type: "report_try"; readonly pr: number; readonly report: TryReport }
  /** Carries out the merge attempt in flight; reports `merge_concluded`. */
  | { readonly type: "merge"; readonly attemptId: string }
  /** Updates the pull request's check and comment to match its entry. */
  | { readonly type: "publish"; readonly pr: number }
  /** Reads the pull request again after a while; reports `pull_request_observed`. */
  | { readonly type: "observe_pull_request"; readonly pr: number };

export function effectsOf(data: EventData): readonly Effect[] {
  switch (data.type) {
    case "run_started":
      return [{ type: "build_test_commit", runId: data.run.id, pr: data.run.members[0] }];
    case "run_built": {
      const { runId, commits, pullRequest } = data;
      return pullRequest ? [{ type: "open_test_pull_request", runId, pr: firstOf(runId, commits) }] : [];
    }
    case "run_discarded": {
      const { runId, pr, built, branch, cancels } = data;
      // If a run is discarded while its branch is being built, the builder removes the branch.
      if (!built) return [];
      const run = { runId, pr, ...(branch === undefined ? {} : { branch }) };
      const removal = { type: "remove_test_branch", ...run } as const;
      return cancels ? [{ type: "cancel_workflow_runs", ...run }, removal] : [removal];
    }
    case "run_retried": {
      const { runId, attempt, suites, outdated, pr } = data;
      return [
        { type: "rerun_failed_checks", runId, attempt, suites, outdated },
        { type: "publish", pr },
      ];
    }
    case "run_missing_checks":
    case "run_requirements_changed":
    case "freeze_changed":
    case "stall_changed":
    case "work_postponed":
      return data.prs.map((pr) => ({ type: "publish", pr }));
    case "try_started":
      return [{ type: "build_try", runId: data.run.id, pr: data.pr }];
    case "base_test_started":
      return [{ type: "build_base_test", runId: data.run.id, pr: data.pr }];
    case "try_built":
    case "base_test_built":
      return data.pullRequest ? [{ type: "open_test_pull_request", runId: data.runId, pr: data.pr }] : [];
    case "try_put_back":
      return endOfTryRun(data.dropped);
    case "try_ended": {
      const { pr, headSha, baseSha, verdict, reason, dropped, unreported } = data;
      const ended = dropped ? endOfTryRun(dropped) : [];
      const report = { headSha, baseSha, verdict, reason };
      return unreported ? ended : [...ended, { type: "report_try", pr, report }];
    }
    case "base_test_ended":
      return [...endOfTryRun(data.dropped), { type: "publish", pr: data.pr }];
    case "direct_merge_considered":
      return [{ type: "examine_head", pr: data.pr }];
    case "queue_deleted":
      return [{ type: "remove_scratch_branches" }];
    case "merge_started":
      return [{ type: "merge", attemptId: data.attempt.id }];
    case "entry_admitted":
    case "entry_observed":
      return isStillUnknown(data.readiness)
        ? [
            { type: "publish", pr: data.pr },
            { type: "observe_pull_request", pr: data.pr },
          ]
        : [{ type: "publish", pr: data.pr }];
    case "entry_targeted":
    case "entry_moved":
    case "entry_held":
    case "entry_delayed":
      return [{ type: "publish", pr: data.pr }];
    case "try_asked":
    case "base_test_wanted":
    case "base_test_checked":
    case "entry_revised":
    case "entry_aged":
    case "entry_released":
    case "direct_merge_declined":
    case "entry_due":
    case "run_checked":
    case "run_retry_refused":
    case "run_forgiven":
    case "run_concluded":
    case "bisection_started":
    case "bisection_narrowed":
    case "bisection_ended":
    case "entries_considered":
    case "entry_certified":
    case "entry_suspected":
    case "evidence_dropped":
    case "entry_widened":
    case "entries_isolated":
    case "entry_incriminated":
    case "block_formed":
    case "block_failed":
    case "block_dissolved":
    case "base_moved":
    case "work_resumed":
    case "merge_called":
    case "merge_requested":
    case "merge_not_done":
    case "merge_recalled":
    case "merge_ended":
    case "queue_created":
    case "queue_configured":
    case "queue_status_changed":
    case "queue_moved":
    case "strategy_chosen":
    case "failure_doubted":
      return [];
    default:
      return assertNever(data);
  }
}

function firstOf(runId: string, [first]: readonly TestCommit[]): number {
  if (!first) throw new Error(`the test branch of run ${runId} was built without a commit`);
  return first.pr;
}

/** If the branch is still being built, its builder removes it. */
function endOfTryRun({ built, cancels, ...run }: DroppedTryRun): readonly Effect[] {
  const stop: Effect[] = cancels ? [{ type: "cancel_workflow_runs", ...run }] : [];
  return built ? [...stop, { type: "remove_test_branch", ...run }] : [];
}
