import type { Decision } from "../../decision.ts";
import { evaluateChecks } from "../../model/checks/required-checks.ts";
import { checksToPass, currentChecks, expiryOf } from "../../model/checks/run-checks.ts";
import type { TestRun } from "../../model/test-run.ts";
import { endBaseTest } from "./base-test.ts";
import { lateChecks } from "./conclusion.ts";
import { abandonRun } from "./run-end.ts";
import { endTry } from "./tries.ts";

/** Fails every run whose time is over, with the missing checks in the reason. */
export function expireRuns(decision: Decision): void {
  const isOver = (run: TestRun | null) => (expiryOf(decision.state, run) ?? Infinity) <= decision.context.now;
  for (const runId of decision.state.runIndex.deadlines.values()) {
    // Looked up again, because the failure of one run discards the runs that are built on it.
    const run = decision.state.runs.get(runId);
    if (run && isOver(run)) expireRun(decision, run);
  }
  for (const tried of decision.state.tries.values()) {
    // The state does not keep the checks of a try.
    if (!tried.run || !isOver(tried.run)) continue;
    const minutes = minutesOf(tried.run);
    endTry(decision, tried, "failed", { code: "TESTING_TIMEOUT", minutes, missing: [], pending: [] });
  }
  const { baseTest } = decision.state;
  if (!baseTest || !isOver(baseTest)) return;
  const { missing, pending } = evaluateChecks(checksToPass(decision.state, baseTest), baseTest.checks);
  const reason = { code: "TESTING_TIMEOUT", minutes: minutesOf(baseTest), missing, pending } as const;
  endBaseTest(decision, pending.length > 0 ? "failed" : "unknown", reason);
}

/** The time that a test was given after the push of its branch. */
function minutesOf({ deadline, builtAt }: TestRun): number {
  return Math.round(((deadline ?? 0) - (builtAt ?? 0)) / 60_000);
}

function expireRun(decision: Decision, run: TestRun): void {
  const { missing, pending } = evaluateChecks(
    checksToPass(decision.state, run),
    currentChecks(run, run.checks),
  );
  const late = lateChecks(run, [...missing, ...pending]);
  if (late) return abandonRun(decision, run, late, "AHEAD_RESTARTED");
  const minutes = minutesOf(run);
  decision.policy.runFailed(decision, run, { code: "TESTING_TIMEOUT", minutes, missing, pending });
}
