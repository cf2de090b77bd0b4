import type { Decision } from "../decision.ts";
import type { TestRun } from "../model/test-run.ts";
import type { Reason } from "../reasons/reason.ts";

export function discard(decision: Decision, run: TestRun, reason: Reason): void {
  const built = run.state !== "building";
  const cancels = decision.state.settings.cancelObsoleteRuns && isCiAtWork(run);
  decision.record({
    type: "run_discarded",
    runId: run.id,
    pr: run.members[0] ?? 0,
    built,
    ...(run.branch === null ? {} : { branch: run.branch }),
    ...(cancels ? { cancels } : {}),
    reason,
  });
}

/**
 * Whether CI is to stop when the run ends. What has passed may merge as the very commit that was tested, and would carry cancelled
 * checks; what has failed shows its author all that is wrong.
 */
export function isCiAtWork({ state, failure }: TestRun): boolean {
  return state === "running" || (state === "failed" && failure?.code === "TESTING_TIMEOUT");
}

/** A live entry waits for its tests again; one that waits already, or has left, is not moved. */
export function waitAgain(decision: Decision, pr: number, reason: Reason): void {
  const entry = decision.state.entries.get(pr);
  if (!entry || entry.state === "pending") return;
  // What went wrong in making another test is not why what has passed has to pass again.
  const ofAnother = reason.code === "INFRASTRUCTURE_ERROR" || reason.code === "CONFLICT_WITH_AHEAD";
  const isRetest = entry.state === "tests_passed" && ofAnother;
  decision.move(entry, "pending", isRetest ? { code: "RETESTED" } : reason);
}
