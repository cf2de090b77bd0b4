import { assertNever } from "../../assert-never.ts";
import type { Decision } from "../../decision.ts";
import type { InputOf, TestCommitOutcome } from "../../model/input.ts";
import { leftBefore, meetsOthers } from "../../model/merge-attempt.ts";
import type { OrderedWork } from "../../model/order/delay.ts";
import { effective } from "../../model/settings.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { pauseQueue } from "../obstacle.ts";
import { leave } from "../requeue.ts";
import { abandonRun, failRun, retryBuild } from "./run-end.ts";

/** Handles the outcome of building a test commit. */
export function concludeBuild(
  decision: Decision,
  { runId, outcome }: InputOf<"test_commit_concluded">,
): void {
  const run = decision.state.runs.get(runId);
  if (run?.state !== "building") return;
  resume(decision, "build");
  switch (outcome.kind) {
    case "built":
      return begin(decision, run, outcome);
    case "conflict":
      return decision.policy.buildConflict(decision, run, outcome.pr, { code: "MERGE_CONFLICT_WITH_BASE" });
    case "empty":
      return decision.policy.buildConflict(decision, run, outcome.pr, { code: "EMPTY_PULL_REQUEST" });
    case "not_rebaseable":
      return decision.policy.buildConflict(decision, run, outcome.pr, {
        code: "REBASE_NOT_POSSIBLE",
        why: outcome.why,
      });
    case "refused":
      return refuseBuild(decision, run, outcome);
    case "no_required_checks":
      return failRun(decision, run, { code: "NO_REQUIRED_CHECKS" });
    case "configuration_invalid":
      return failRun(decision, run, { code: "CONFIGURATION_INVALID", message: outcome.message });
    case "permission_denied":
      return failRun(decision, run, { code: "PERMISSION_DENIED", message: outcome.message });
    case "infrastructure_error":
      return retryBuild(decision, run, outcome.message);
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
  const timeoutMs = effective(decision.state.settings, "testingTimeoutMinutes") * 60_000;
  const { kind: _kind, ...commit } = built;
  decision.record({
    type: "run_built",
    runId: run.id,
    ...commit,
    deadline: decision.context.now + timeoutMs,
    ...(decision.state.settings.createPrsForTestingBranches ? { pullRequest: true } : {}),
  });
  for (const pr of decision.policy.decidesAbout(decision.state, run)) {
    const entry = decision.state.entries.get(pr);
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
