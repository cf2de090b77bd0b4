import type { Decision } from "../../decision.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { DroppedTryRun } from "../../model/tries/try-event.ts";
import type { Reason } from "../../reasons/reason.ts";

export function discard(decision: Decision, run: TestRun, reason: Reason): void {
  const built = run.state !== "building";
  const cancels = decision.state.settings.cancelObsoleteRuns && isCiAtWork(run);
  decision.record({
    type: "run_discarded",
    runId: run.id,
    pr: run.members[0],
    built,
    ...(run.branch === null ? {} : { branch: run.branch }),
    ...(cancels ? { cancels } : {}),
    reason,
  });
}

/** What is left to clean up after a run that is kept beside those of the entries. */
export function droppedRun({ state }: Decision, run: TestRun): DroppedTryRun {
  const { id: runId, branch, members } = run;
  const cancels = state.settings.cancelObsoleteRuns && isCiAtWork(run);
  const built = run.state !== "building";
  return { pr: members[0], runId, built, cancels, ...(branch === null ? {} : { branch }) };
}

/**
 * Whether to cancel CI when a run ends. Not after a pass, because the tested commit may be merged and would carry cancelled checks. Not
 * after a failure, so that the author sees all failed checks.
 */
export function isCiAtWork({ state, failure }: TestRun): boolean {
  return state === "running" || (state === "failed" && failure?.code === "TESTING_TIMEOUT");
}

/** Moves a live entry back to `pending`. An entry that is pending already, or has left, is not moved. */
export function waitAgain(decision: Decision, pr: number, reason: Reason): void {
  const entry = decision.state.entries.get(pr);
  if (!entry || entry.state === "pending") return;
  // A problem in building another test is not the reason why a passed entry is tested again.
  const ofAnother = reason.code === "INFRASTRUCTURE_ERROR" || reason.code === "CONFLICT_WITH_AHEAD";
  const isRetest = entry.state === "tests_passed" && ofAnother;
  decision.move(entry, "pending", isRetest ? { code: "RETESTED" } : reason);
}
