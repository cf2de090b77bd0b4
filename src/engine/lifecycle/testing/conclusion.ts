import type { Decision } from "../../decision.ts";
import {
  brokenByInfrastructure,
  type CheckFact,
  type ChecksVerdict,
  cancelledChecks,
  type ExplainedCheck,
  evaluateChecks,
  noEvidence,
  type TestEvidence,
} from "../../model/checks/required-checks.ts";
import { checksToPass, currentChecks, missingUntil } from "../../model/checks/run-checks.ts";
import type { InputOf } from "../../model/input.ts";
import { findRun, purposeOf, requireTry } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";
import type { TestRun } from "../../model/test-run.ts";
import { nothingReported } from "../../reasons/missing-check-reason.ts";
import type { Reason, RetryReason } from "../../reasons/reason.ts";
import { namesOf } from "../../reasons/sentence.ts";
import { concludeBaseTest } from "./base-test.ts";
import { abandonRun, failRun, maxBrokenRuns, retryBrokenRun, retryCancelledRun } from "./run-end.ts";
import { concludeTry } from "./tries.ts";

/** Records the checks of a run, whatever it is for, and concludes the run when they decide it. */
export function concludeChecks(decision: Decision, observed: InputOf<"checks_observed">): void {
  const { runId, checks, tests = noEvidence } = observed;
  const { state } = decision;
  const run = findRun(state, runId);
  if (run?.state !== "running") return;
  const purpose = purposeOf(state, run);
  const isNew = !sameChecks(run.checks, checks);
  if (purpose === "base" && isNew)
    decision.record({ type: "base_test_checked", pr: run.members[0], runId, checks });
  if (purpose === "entries" && isNew) decision.record({ type: "run_checked", runId, checks });
  const verdict = evaluateChecks(checksToPass(state, run), currentChecks(run, checks));
  if (purpose === "base") return concludeBaseTest(decision, run, verdict);
  if (purpose === "try") return concludeTry(decision, requireTry(state, run), verdict);
  if (verdict.verdict === "pending") return followMissingChecks(decision, run, verdict, observed);
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
export function concludeRetry(decision: Decision, refused: InputOf<"retry_refused">): void {
  if (!noteRetryRefused(decision, refused)) return;
  const run = decision.state.runs.get(refused.runId);
  if (run) concludeChecks(decision, { type: "checks_observed", runId: run.id, checks: run.checks });
}

function sameChecks(a: readonly CheckFact[], b: readonly CheckFact[]): boolean {
  const key = (check: CheckFact) => `${check.kind}/${check.id}/${check.status}/${check.conclusion}`;
  const known = new Set(a.map(key));
  return a.length === b.length && b.every((check) => known.has(key(check)));
}

/**
 * Watches for required checks that have not appeared although everything else on the test branch has ended. The wait restarts whenever
 * something runs there or one of the checks appears, because a job may start late. After the wait, every entry that the run decides about
 * is evicted. No culprit is searched, because the cause is not in one of the entries.
 */
export function followMissingChecks(
  decision: Decision,
  run: TestRun,
  { pending, missing }: ChecksVerdict,
  { isQuiet = false, brokenWorkflows = [] }: InputOf<"checks_observed">,
): void {
  const names = isQuiet && pending.length === 0 ? missing : [];
  const broken = brokenWorkflows.length > 0 ? { brokenWorkflows } : {};
  if (names.join("\n") !== (run.missing?.names ?? []).join("\n")) {
    const { id: runId, members: prs } = run;
    return decision.record({ type: "run_missing_checks", runId, prs, names, ...broken });
  }
  const until = missingUntil(decision.state.settings, run);
  if (until === null || decision.context.now < until) return;
  const late = lateChecks(run, names);
  if (late) return abandonRun(decision, run, late, "AHEAD_RESTARTED");
  if (isOutage(decision, run, names)) {
    const message = nothingReported({ names, ...broken }, maxBrokenRuns - 1);
    if (retryBrokenRun(decision, run, message)) return;
  }
  const minutes = settingInUse(decision.state.settings, "missingCheckMinutes");
  const reason: Reason = { code: "REQUIRED_CHECK_MISSING", names, minutes, ...broken };
  failRun(decision, run, reason);
}

/** Whether no required check has appeared, although CI has reported all of them before. CI may have lost the push, so a retry may help. */
function isOutage({ state }: Decision, run: TestRun, names: readonly string[]): boolean {
  const required = checksToPass(state, run);
  return names.length === required.length && names.every((name) => state.checkMemory.heard.includes(name));
}

/**
 * The reason to give up a run that waits only for checks that became required after its build; null = it waits for other checks, or for
 * none.
 */
export function lateChecks({ changed }: TestRun, open: readonly string[]): Reason | null {
  if (!changed || open.length === 0 || !open.every((name) => changed.added.includes(name))) return null;
  const { added, removed, at } = changed;
  return { code: "REQUIRED_CHECKS_CHANGED", added, removed, at };
}

/** Returns the tests that explain all failed checks; null if a check may have failed for another reason. */
function testsThatExplain(
  { failed }: ChecksVerdict,
  checks: readonly ExplainedCheck[],
): readonly string[] | null {
  const explained = failed.map(({ name }) => checks.find((check) => check.name === name));
  if (explained.length === 0 || explained.some((check) => check === undefined)) return null;
  return [...new Set(explained.flatMap((check) => check?.tests ?? []))];
}

/** Returns the new tests that justify a re-run of the failed checks; null if there are none, or a check failed for another reason. */
function newTestsOf(
  verdict: ChecksVerdict,
  { flaky, withNewTests = [] }: TestEvidence,
): readonly string[] | null {
  if (testsThatExplain(verdict, [...withNewTests, ...flaky]) === null) return null;
  const failed = new Set(verdict.failed.map(({ name }) => name));
  const tests = withNewTests.filter(({ name }) => failed.has(name)).flatMap((check) => check.tests);
  return tests.length === 0 ? null : [...new Set(tests)];
}

/**
 * Re-runs the failed checks of a run in which only new and known flaky tests failed, because nothing is known about the new tests yet. This
 * happens at most once, even if known flakes are re-run more often: a test that fails twice has shown only failures. Returns false if the
 * failure stands.
 */
export function retryNewTests(
  decision: Decision,
  run: TestRun,
  verdict: ChecksVerdict,
  evidence: TestEvidence,
): boolean {
  const tests = newTestsOf(verdict, evidence);
  if (tests === null || run.retried) return false;
  return retryChecks(decision, run, verdict, { code: "NEW_TESTS_RETRIED", tests });
}

/**
 * Handles a failure that known flakes explain. The failed checks are re-run, within the time of the run, as often as the settings of the
 * queue allow. After that, if the failure would be evidence against entries, a new run tests them, as often as after a run that CI broke:
 * the failure of a flaky test is evidence only if it fails each time. Returns false if the failure stands.
 */
export function spareKnownFlakes(
  decision: Decision,
  run: TestRun,
  verdict: ChecksVerdict,
  evidence: TestEvidence,
): boolean {
  const tests = testsThatExplain(verdict, evidence.flaky);
  if (tests === null) return false;
  if (retryChecks(decision, run, verdict, { code: "FLAKY_TESTS_RETRIED", tests })) return true;
  const { settings } = decision.state;
  // If the settings allow no re-runs, the result of CI stands.
  if (!decision.policy.retestsFlakes(run) || settings.flakyRetries === 0) return false;
  return retryBrokenRun(decision, run, `only tests failed that are known to be flaky: ${namesOf(tests)}`);
}

function retryChecks(
  decision: Decision,
  run: TestRun,
  { failed }: ChecksVerdict,
  reason: RetryReason,
): boolean {
  const attempt = (run.retried?.attempt ?? 0) + 1;
  const { settings, runs } = decision.state;
  if (attempt > settings.flakyRetries || run.retried?.refused) return false;
  const checks = failed.map(({ name }) => name);
  const known = currentChecks(run, runs.get(run.id)?.checks ?? []);
  const facts = known.filter(({ name, conclusion }) => checks.includes(name) && conclusion !== null);
  // A status cannot be re-run, nor can a check run whose workflow run is unknown.
  const suites = [...new Set(facts.map(({ kind, suiteId }) => (kind === "check_run" ? suiteId : null)))];
  if (!suites.every((suite) => suite !== null)) return false;
  decision.record({
    type: "run_retried",
    runId: run.id,
    pr: run.members[0],
    attempt,
    checks,
    suites,
    outdated: [...(run.retried?.outdated ?? []), ...facts.map(({ id }) => id)],
    reason,
  });
  return true;
}

/** Records that the code host did not re-run the checks, so that their results stand. Returns false if the report is obsolete. */
export function noteRetryRefused(
  decision: Decision,
  { runId, attempt, message }: InputOf<"retry_refused">,
): boolean {
  const run = decision.state.runs.get(runId);
  if (run?.state !== "running" || run.retried?.attempt !== attempt || run.retried.refused) return false;
  const pr = run.members[0];
  decision.record({ type: "run_retry_refused", runId, pr, reason: { code: "RETRY_REFUSED", message } });
  return true;
}
