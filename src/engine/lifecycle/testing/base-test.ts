import type { Decision } from "../../decision.ts";
import {
  entryAwaitingBaseTest,
  isBaseTestUrgent,
  judgesAfterBase,
  mayTestBase,
} from "../../model/base-test.ts";
import { slotsForBaseTest } from "../../model/capacity/slots.ts";
import { type ChecksVerdict, cancelledChecks } from "../../model/checks/required-checks.ts";
import { checksToPass, expiryOf } from "../../model/checks/run-checks.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { BaseTestVerdict } from "../../model/tries/try.ts";
import type { Reason } from "../../reasons/reason.ts";
import { retryTime } from "./red-spell.ts";
import { droppedRun, singleRun } from "./run-end.ts";

/** Whether an entry whose failures may all have the same cause must not be removed before a test of the base. */
export function waitsForBase(decision: Decision, pr: number): boolean {
  if (!judgesAfterBase(decision.state)) return false;
  if (!decision.state.history.failing.includes(pr)) decision.record({ type: "base_test_wanted", pr });
  return true;
}

/** Gives the test of the base up if it is not needed, or if an entry needs its slot. Returns whether it did. */
export function stopBaseTest(decision: Decision): boolean {
  const reason = decision.state.baseTest && reasonToStop(decision.state);
  if (reason) endBaseTest(decision, "stopped", reason);
  return reason !== null;
}

/** Tests the base again if that is due. */
export function retestBase(decision: Decision): void {
  const retryAt = nextRetry(decision.state);
  if (retryAt !== null && retryAt <= decision.context.now) startBaseTest(decision);
}

/** Starts a test of the base if a pull request is in question and a slot is free. */
export function startBaseTest(decision: Decision): void {
  const { state, context } = decision;
  const pr = state.baseTest === null ? nextQuestion(state, context.now) : null;
  const base = baseTip(state);
  if (pr === null || base === null || slotsForBaseTest(state) <= 0) return;
  const run = { ...singleRun(context, pr, base, "squash"), ofBase: true } as const;
  decision.record({ type: "base_test_started", pr, run });
}

function reasonToStop(state: QueueState): Reason | null {
  const tip = baseTip(state);
  if (tip !== null && state.baseTest?.base !== tip) return { code: "BASE_MOVED", sha: tip };
  if (state.settings.policy === "fixed" || entryAwaitingBaseTest(state) === null)
    return { code: "VERDICT_KNOWN" };
  return slotsForBaseTest(state) < 1 ? { code: "SLOT_NEEDED" } : null;
}

/** Returns the pull request in question if a test of the base is due for it; null = none is due. */
function nextQuestion(state: QueueState, now: number): number | null {
  const retryAt = nextRetry(state);
  if (!mayTestBase(state) && (retryAt === null || retryAt > now)) return null;
  const pr = entryAwaitingBaseTest(state);
  return pr !== null && (retryAt !== null || isBaseTestUrgent(state) || !mayPassSoon(state)) ? pr : null;
}

/** When the base is tested again after a failure; null = never. */
function nextRetry({ settings, status, history }: QueueState): number | null {
  if (settings.policy === "fixed" || !startsTests(status)) return null;
  return history.baseFinding?.retryAt ?? null;
}

/** Whether a pull request is in test that has not failed. If it passes, the base need not be tested. */
function mayPassSoon({ runs, history }: QueueState): boolean {
  for (const run of runs.values())
    if (isActive(run) && run.members.some((pr) => !history.failing.includes(pr))) return true;
  return false;
}

/** Ends the test of the base if its checks decide it. */
export function concludeBaseTest(decision: Decision, run: TestRun, verdict: ChecksVerdict): void {
  if (verdict.verdict === "passed") return endBaseTest(decision, "passed", { code: "TESTS_PASSED" });
  const answer = verdict.verdict === "failed" ? answerOf(decision.state, run, verdict) : null;
  if (answer) endBaseTest(decision, answer, { code: "CHECKS_FAILED", checks: verdict.failed });
}

/**
 * Returns whether the base fails in a check in which the pull request failed. Failures in other checks say nothing: some checks fail on
 * every commit without changes. Null = another check may still fail.
 */
function answerOf(state: QueueState, run: TestRun, verdict: ChecksVerdict): BaseTestVerdict | null {
  const { failed, pending, missing } = verdict;
  const isCancelled = cancelledChecks(verdict) !== null;
  const entry = state.entries.get(run.members[0]);
  const failure = entry?.doubted?.failure ?? entry?.reason;
  const inQuestion = failure?.code === "CHECKS_FAILED" ? failure.checks.map(({ name }) => name) : null;
  const isFailed = (name: string) => failed.some((check) => check.name === name);
  if (!isCancelled && (inQuestion === null || inQuestion.some(isFailed))) return "failed";
  if (pending.length + missing.length > 0) return null;
  const passed = checksToPass(state, run).filter(({ name }) => !isFailed(name));
  const isPassed = (name: string) => passed.some((check) => check.name === name);
  return !isCancelled && inQuestion?.every(isPassed) ? "passed" : "unknown";
}

/** Returns when a test of the base ends or starts next, in milliseconds since the epoch; null = never. */
export function nextBaseTestDeadline(state: QueueState): number | null {
  const { baseTest } = state;
  if (baseTest) return expiryOf(state, baseTest);
  return entryAwaitingBaseTest(state) !== null && slotsForBaseTest(state) > 0 ? nextRetry(state) : null;
}

export function endBaseTest(decision: Decision, verdict: BaseTestVerdict, reason: Reason): void {
  const { state, context } = decision;
  const run = state.baseTest;
  if (!run) return;
  decision.record({
    type: "base_test_ended",
    pr: run.members[0],
    baseSha: run.parentSha ?? run.base,
    verdict,
    retryAt: verdict === "failed" ? retryTime(state.history, context.now) : null,
    dropped: droppedRun(decision, run),
    reason,
  });
}
