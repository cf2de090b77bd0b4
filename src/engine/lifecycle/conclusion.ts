import { checksToPass } from "../model/checks/accepted-checks.ts";
import { failAdaptive, passAdaptive } from "../policies/beliefs/verdicts.ts";
import { bisect, narrow } from "../policies/fixed/bisection.ts";
import type { Decision } from "../decision.ts";
import { acquit, doubt, isDoubtful, mayBeDoubted } from "../policies/fixed/doubt.ts";
import type { Entry } from "../model/entry.ts";
import type { Observation } from "../model/input.ts";
import { currentChecks, noteRetryRefused, retryNewTests, spareKnownFlakes } from "./known-flakes.ts";
import { noEvidence } from "../model/checks/test-evidence.ts";
import { leave, sendBack, sendBackFollowers } from "./line.ts";
import { followMissingChecks } from "./missing-checks.ts";
import { baseTip, remainingAhead, runOf } from "../model/queue.ts";
import type { Reason } from "../reasons/reason.ts";
import { isRedSpell, waitForPass } from "./red-spell.ts";
import {
  brokenByInfrastructure,
  type CheckFact,
  cancelledChecks,
  evaluateChecks,
} from "../model/checks/required-checks.ts";
import { retryBrokenRun, retryCancelledRun } from "./retry.ts";
import { effective } from "../model/settings.ts";
import { usesBeliefs } from "../model/strategy.ts";
import { successorsOf } from "../policies/fixed/successors.ts";
import { isActive, type TestRun } from "../model/test-run.ts";

/** Takes note of a run's checks, and concludes the run when they say enough. */
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
    pass(decision, decision.state.runs.get(runId) ?? run);
  }
  if (verdict.verdict !== "failed") return;
  const cancelled = cancelledChecks(verdict);
  if (cancelled) return retryCancelledRun(decision, run, cancelled);
  const broken = brokenByInfrastructure(verdict);
  if (broken !== null && retryBrokenRun(decision, run, broken)) return;
  if (spareKnownFlakes(decision, run, verdict, tests)) return;
  if (retryNewTests(decision, run, verdict, tests)) return;
  fail(decision, run, { code: "CHECKS_FAILED", checks: verdict.failed });
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

/** Fails every run whose time is up, naming what is missing. */
export function expireRuns(decision: Decision): void {
  const { now } = decision.context;
  for (const runId of decision.state.runIndex.deadlines.values()) {
    // Looked up afresh: the failure of one run discards those that stand on it.
    const run = decision.state.runs.get(runId);
    if (run?.state !== "running" || run.deadline === null) continue;
    if (run.deadline > now) return;
    const { missing, pending } = evaluateChecks(
      checksToPass(decision.state, run),
      currentChecks(run, run.checks),
    );
    const minutes = effective(decision.state.settings, "testingTimeoutMinutes");
    fail(decision, run, { code: "TESTING_TIMEOUT", minutes, missing, pending });
  }
}

/**
 * A failure stands when nothing ahead is undecided and the successors that it waits for have ended, none of them green: a
 * single entry has failed on its actual predecessors, a batch is bisected.
 */
export function decidePendingFailures(decision: Decision): void {
  for (const { entry: before } of decision.state.line.standings) {
    // What is no pending failure yet does not become one here.
    if (before.state !== "pending_failure") continue;
    const entry = decision.state.entries.get(before.pr);
    const run = entry && runOf(decision.state, entry);
    if (!run || entry.state !== "pending_failure") continue;
    const ahead = remainingAhead(decision.state, run);
    if (ahead === null && entry.doubtedAt !== undefined) decideFailure(decision, entry, run);
    else if (ahead === null)
      sendBack(decision, entry, { code: "BASE_MOVED", sha: baseTip(decision.state) ?? "" });
    else if (ahead.length === 0) decideFailure(decision, entry, run);
  }
}

function decideFailure(decision: Decision, entry: Entry, run: TestRun): void {
  const successors = [...successorsOf(decision.state, run)];
  const green = successors.find(({ state }) => state === "passed");
  // With optimistic merging it would have passed with its successor; without, it has to pass by itself, at the second time at the latest.
  if (green && mayBeDoubted(entry))
    return doubt(decision, run, { code: "SUCCESSOR_PASSED", pr: green.members[0] ?? 0 });
  if (successors.slice(0, decision.state.settings.pendingFailureDepth).some(isActive)) return;
  const because: Reason = { code: "AHEAD_FAILED", pr: entry.pr };
  if (isDoubtful(decision.state, entry, run)) return doubt(decision, run, { code: "RETESTED" });
  if (run.members.length === 1) {
    if (isRedSpell(decision.state, entry, decision.context.now)) return waitForPass(decision, entry.pr);
    return leave(decision, entry, "failed", entry.reason, because);
  }
  for (const pr of run.members) sendBackFollowers(decision, pr, because);
  bisect(decision, run, entry.reason);
}

function pass(decision: Decision, run: TestRun): void {
  if (usesBeliefs(decision.state)) return passAdaptive(decision, run);
  const reason: Reason = { code: "TESTS_PASSED" };
  if (run.kind === "bisection") return narrow(decision, run, "passed", reason);
  decision.record({ type: "run_concluded", runId: run.id, verdict: "passed", reason });
  const doubted = run.members.filter((pr) => decision.entry(pr).doubtedAt !== undefined);
  for (const pr of run.members) decision.move(decision.entry(pr), "tests_passed", reason);
  for (const pr of doubted) acquit(decision, pr, run);
  if (decision.state.settings.canOptimisticallyMerge) vouchForAhead(decision, run);
}

/** What a passing tree contains has passed: the undecided tests of what is ahead are not needed any more. */
function vouchForAhead(decision: Decision, run: TestRun): void {
  const reason: Reason = { code: "SUCCESSOR_PASSED", pr: run.members[0] ?? 0 };
  for (const pr of remainingAhead(decision.state, run) ?? []) {
    const entry = decision.entry(pr);
    const other = runOf(decision.state, entry);
    if (!other || (entry.state !== "testing" && entry.state !== "pending_failure")) continue;
    if (other.state !== "passed") {
      decision.record({
        type: "run_concluded",
        runId: other.id,
        verdict: "passed",
        reason,
        vouchedBy: run.id,
      });
    }
    decision.move(entry, "tests_passed", reason);
  }
}

/**
 * The members are suspects until what is ahead of them is decided. What stands on them is tested without them at once:
 * whether they or something ahead is to blame, a test that contains them is worth nothing. Unless the queue waits for
 * successors to tell flakes from failures.
 */
function fail(decision: Decision, run: TestRun, reason: Reason): void {
  if (usesBeliefs(decision.state)) return failAdaptive(decision, run, reason);
  if (run.kind === "bisection") return narrow(decision, run, "failed", reason);
  decision.record({ type: "run_concluded", runId: run.id, verdict: "failed", reason });
  for (const pr of run.members) decision.move(decision.entry(pr), "pending_failure", reason);
  if (decision.state.settings.pendingFailureDepth > 0) return;
  for (const pr of run.members) sendBackFollowers(decision, pr, { code: "AHEAD_FAILED", pr });
}

function sameChecks(a: readonly CheckFact[], b: readonly CheckFact[]): boolean {
  const key = (check: CheckFact) => `${check.kind}/${check.id}/${check.status}/${check.conclusion}`;
  const known = new Set(a.map(key));
  return a.length === b.length && b.every((check) => known.has(key(check)));
}
