import type { Decision } from "../../decision.ts";
import type { ChecksVerdict } from "../../model/checks/required-checks.ts";
import { currentChecks } from "../../model/checks/run-checks.ts";
import type { ExplainedCheck, TestEvidence } from "../../model/checks/test-evidence.ts";
import type { Observation } from "../../model/input.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { RetryReason } from "../../reasons/reason.ts";
import { namesOf } from "../../reasons/sentence.ts";
import { retryBrokenRun } from "./retry.ts";

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
 * queue allow. After that, if the failure would be evidence against entries, they are tested by a new run, as often as after a run that CI
 * broke, because a test that is flagged flaky is evidence only if it fails each time. Returns false if the failure stands.
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
  { runId, attempt, message }: Extract<Observation, { type: "retry_refused" }>,
): boolean {
  const run = decision.state.runs.get(runId);
  if (run?.state !== "running" || run.retried?.attempt !== attempt || run.retried.refused) return false;
  const pr = run.members[0];
  decision.record({ type: "run_retry_refused", runId, pr, reason: { code: "RETRY_REFUSED", message } });
  return true;
}
