import { assertNever } from "../../assert-never.ts";
import type { Decision } from "../../decision.ts";
import { testLimitMs } from "../../model/checks/run-checks.ts";
import type { InputOf, TestCommitOutcome } from "../../model/input.ts";
import { leftBefore, meetsOthers } from "../../model/merge-attempt.ts";
import type { OrderedWork } from "../../model/order/delay.ts";
import { findRun, purposeOf, requireTry } from "../../model/queue.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Try } from "../../model/tries/try.ts";
import type { Reason } from "../../reasons/reason.ts";
import { pauseQueue } from "../obstacle.ts";
import { leave } from "../requeue.ts";
import { endBaseTest } from "./base-test.ts";
import { abandonRun, failRun, retryBuild } from "./run-end.ts";
import { endTry, retryTry } from "./tries.ts";

/** Handles the outcome of building a test commit, whatever its run is for. */
export function concludeBuild(
  decision: Decision,
  { runId, outcome }: InputOf<"test_commit_concluded">,
): void {
  const { state } = decision;
  const run = findRun(state, runId);
  if (run?.state !== "building") return;
  const purpose = purposeOf(state, run);
  if (purpose === "entries") resume(decision, "build");
  if (outcome.kind === "built") return begin(decision, run, outcome);
  if (purpose === "entries") return concludeFailedBuild(decision, run, outcome);
  if (purpose === "try") return concludeFailedTry(decision, requireTry(state, run), outcome);
  if (outcome.kind !== "infrastructure_error")
    return endBaseTest(decision, "unknown", { code: "VERDICT_KNOWN" });
  const { message } = outcome;
  endBaseTest(decision, "failed", { code: "INFRASTRUCTURE_ERROR", message, attempt: 1 });
}

type FailedBuild = Exclude<TestCommitOutcome, { kind: "built" }>;

function concludeFailedBuild(decision: Decision, run: TestRun, outcome: FailedBuild): void {
  switch (outcome.kind) {
    case "conflict":
    case "empty":
    case "not_rebaseable":
      return decision.policy.buildConflict(decision, run, outcome.pr, buildFailure(outcome));
    case "refused":
      return refuseBuild(decision, run, outcome);
    case "infrastructure_error":
      return retryBuild(decision, run, outcome.message);
    default:
      return failRun(decision, run, buildFailure(outcome));
  }
}

function concludeFailedTry(decision: Decision, tried: Try, outcome: FailedBuild): void {
  if (outcome.kind === "infrastructure_error") return retryTry(decision, tried, outcome.message);
  endTry(decision, tried, "failed", buildFailure(outcome));
}

function buildFailure(outcome: Exclude<FailedBuild, { kind: "infrastructure_error" }>): Reason {
  switch (outcome.kind) {
    case "conflict":
      return { code: "MERGE_CONFLICT_WITH_BASE" };
    case "empty":
      return { code: "EMPTY_PULL_REQUEST" };
    case "not_rebaseable":
      return { code: "REBASE_NOT_POSSIBLE", why: outcome.why };
    case "refused":
      return { code: "MERGE_REFUSED", message: outcome.message, cause: outcome.cause };
    case "no_required_checks":
      return { code: "NO_REQUIRED_CHECKS" };
    case "configuration_invalid":
      return { code: "CONFIGURATION_INVALID", message: outcome.message };
    case "permission_denied":
      return { code: "PERMISSION_DENIED", message: outcome.message };
    default:
      return assertNever(outcome);
  }
}

/**
 * Handles a refused build. If the cause is a pull request, it is evicted, and the rest of its batch continues. Any other cause would affect
 * every pull request, so the queue is paused and nothing is evicted.
 */
function refuseBuild(
  decision: Decision,
  run: TestRun,
  { pr, message, cause }: Extract<TestCommitOutcome, { kind: "refused" }>,
): void {
  const { lastRefusal, entries } = decision.state;
  if (meetsOthers(lastRefusal, pr, cause)) {
    const left = leftBefore(lastRefusal, cause, entries);
    pauseQueue(decision, { code: "BUILDING_NOT_ALLOWED", message, cause, ...left });
    return abandonRun(
      decision,
      run,
      { code: "INFRASTRUCTURE_ERROR", message, attempt: 1 },
      "AHEAD_RESTARTED",
    );
  }
  const entry = pr === null ? undefined : entries.get(pr);
  // A pull request that has been built before, or is being tested by another run, was not refused then.
  if (entry?.state !== "pending" || !run.members.includes(entry.pr))
    return retryBuild(decision, run, message);
  const reason: Reason = { code: "MERGE_REFUSED", message, cause, ofBuild: true };
  leave(decision, entry, "failed", reason, { code: "AHEAD_FAILED", pr: entry.pr });
}

function begin(decision: Decision, run: TestRun, built: Extract<TestCommitOutcome, { kind: "built" }>): void {
  const { settings } = decision.state;
  const { kind: _kind, ...commit } = built;
  const [pr] = run.members;
  const rest = {
    runId: run.id,
    ...commit,
    deadline: decision.context.now + testLimitMs(decision.state),
    ...(settings.createPrsForTestingBranches ? ({ pullRequest: true } as const) : {}),
  };
  const purpose = purposeOf(decision.state, run);
  if (purpose !== "entries")
    return decision.record({ type: purpose === "try" ? "try_built" : "base_test_built", pr, ...rest });
  decision.record({ type: "run_built", ...rest });
  for (const member of decision.policy.decidesAbout(decision.state, run)) {
    const entry = decision.state.entries.get(member);
    if (entry?.state === "pending") decision.move(entry, "testing", { code: "TESTS_STARTED" });
  }
}

/** Records why ordered work has to wait. Obsolete and repeated reports change nothing. */
export function postpone(decision: Decision, { work, id, wait }: InputOf<"work_postponed">): void {
  const { runs, merge, waits } = decision.state;
  const run = runs.get(id);
  const building = work === "build" && run?.state === "building" ? run.members : null;
  const prs = work === "merge" && merge?.id === id ? merge.steps.map(({ pr }) => pr) : building;
  if (prs === null || JSON.stringify(waits[work]) === JSON.stringify(wait)) return;
  decision.record({ type: "work_postponed", work, prs, wait });
}

/** Clears the recorded wait of ordered work, because the work goes on or has ended. */
export function resume(decision: Decision, work: OrderedWork): void {
  if (decision.state.waits[work]) decision.record({ type: "work_resumed", work });
}
