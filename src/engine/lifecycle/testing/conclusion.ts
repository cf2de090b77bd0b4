import type { Decision } from "../../decision.ts";
import {
  brokenByInfrastructure,
  type CheckFact,
  cancelledChecks,
  evaluateChecks,
} from "../../model/checks/required-checks.ts";
import { checksToPass, currentChecks } from "../../model/checks/run-checks.ts";
import { noEvidence } from "../../model/checks/test-evidence.ts";
import { expiryOf } from "../../model/expiry.ts";
import type { Observation } from "../../model/input.ts";
import { effective } from "../../model/settings.ts";
import { noteRetryRefused, retryNewTests, spareKnownFlakes } from "./known-flakes.ts";
import { followMissingChecks, lateChecks } from "./missing-checks.ts";
import { abandonRun, retryBrokenRun, retryCancelledRun } from "./retry.ts";

/** Records the checks of a run, and concludes the run when they decide it. */
export function concludeChecks(
  decision: Decision,
  { runId, checks, isQuiet = false, tests = noEvidence }: Extract<Observation, { type: "checks_observed" }>,
): void {
  const run = decision.state.runs.get(runId);
  if (run?.state !== "running") return;
  if (!sameChecks(run.checks, checks)) decision.record({ type: "run_checked", runId, checks });
  const verdict = evaluateChecks(checksToPass(decision.state, run), currentChecks(run, checks));
  if (verdict.verdict === "pending") return followMissingChecks(decision, run, verdict, isQuiet);
  if (verdict.verdict === "passed") {
    const forgiven = [...new Set(tests.forgiven.flatMap((check) => check.tests))];
    if (forgiven.length > 0) decision.record({ type: "run_forgiven", runId, tests: forgiven });
    decision.policy.runPassed(decision, decision.state.runs.get(runId) ?? run);
  }
  if (verdict.verdict !== "failed") return;
  const cancelled = cancelledChecks(verdict);
  if (cancelled) return retryCancelledRun(decision, run, cancelled);
  const broken = brokenByInfrastructure(verdict);
  if (broken !== null && retryBrokenRun(decision, run, broken)) return;
  if (spareKnownFlakes(decision, run, verdict, tests)) return;
  if (retryNewTests(decision, run, verdict, tests)) return;
  decision.policy.runFailed(decision, run, { code: "CHECKS_FAILED", checks: verdict.failed });
}

/** Failed checks that could not be re-run keep their results. */
export function concludeRetry(
  decision: Decision,
  refused: Extract<Observation, { type: "retry_refused" }>,
): void {
  if (!noteRetryRefused(decision, refused)) return;
  const run = decision.state.runs.get(refused.runId);
  if (run) concludeChecks(decision, { type: "checks_observed", runId: run.id, checks: run.checks });
}

/** Fails every run whose deadline has passed, with the missing checks in the reason. */
export function expireRuns(decision: Decision): void {
  const { now } = decision.context;
  for (const runId of decision.state.runIndex.deadlines.values()) {
    // Looked up again, because the failure of one run discards the runs that are built on it.
    const run = decision.state.runs.get(runId);
    if (run?.state !== "running" || run.deadline === null) continue;
    const expiry = expiryOf(decision.state, run.deadline);
    if (expiry === null || expiry > now) return;
    const { missing, pending } = evaluateChecks(
      checksToPass(decision.state, run),
      currentChecks(run, run.checks),
    );
    const late = lateChecks(run, [...missing, ...pending]);
    if (late) {
      abandonRun(decision, run, late, "AHEAD_RESTARTED");
      continue;
    }
    const minutes = effective(decision.state.settings, "testingTimeoutMinutes");
    decision.policy.runFailed(decision, run, { code: "TESTING_TIMEOUT", minutes, missing, pending });
  }
}

export function sameChecks(a: readonly CheckFact[], b: readonly CheckFact[]): boolean {
  const key = (check: CheckFact) => `${check.kind}/${check.id}/${check.status}/${check.conclusion}`;
  const known = new Set(a.map(key));
  return a.length === b.length && b.every((check) => known.has(key(check)));
}
