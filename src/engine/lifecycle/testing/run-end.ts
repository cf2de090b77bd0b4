import type { Decision } from "../../decision.ts";
import { maxCancelledRuns } from "../../model/capacity/slots.ts";
import type { Context } from "../../model/input.ts";
import type { MergeMethod } from "../../model/settings.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { DroppedTryRun } from "../../model/tries/try.ts";
import type { FailedCheck, Reason } from "../../reasons/reason.ts";
import { leave } from "../requeue.ts";

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

/** A new test of one pull request on the base alone. */
export function singleRun({ newId }: Context, pr: number, base: string, method: MergeMethod) {
  const parts = { kind: "main", bisectionId: null, method, base, ahead: [], members: [pr] } as const;
  return { id: newId(), ...parts };
}

/** What has to be cleaned up after the run of a try or of the base. */
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

/** After this number of attempts to build, an entry is evicted. With these delays, that is about a day of an outage. */
const maxAttempts = 290;
const firstRetryMs = 5_000;
const maxRetryMs = 5 * 60_000;

/** From this number of broken runs on, the failure that CI reports counts. */
export const maxBrokenRuns = 3;

/** Handles a build that failed because of an outage: it is retried with backoff, up to the maximum number of attempts. */
export function retryBuild(decision: Decision, run: TestRun, message: string): void {
  const members = waitingFor(decision, run);
  const attempts = Math.max(0, ...members.map((pr) => decision.entry(pr).attempts)) + 1;
  if (attempts >= maxAttempts) return failRun(decision, run, { code: "RETRIES_EXHAUSTED", message });
  const reason: Reason = { code: "INFRASTRUCTURE_ERROR", message, attempt: attempts };
  abandonRun(decision, run, reason);
  const retryAt = retryTime(decision, run, attempts);
  for (const pr of members) decision.record({ type: "entry_delayed", pr, retryAt, attempts, reason });
}

/**
 * Handles a run that CI broke without a verdict on the code: its members are tested again later. Returns false if that has happened too
 * often; then the failure counts.
 */
export function retryBrokenRun(decision: Decision, run: TestRun, message: string): boolean {
  const members = testedAgainAfter(decision, run);
  const attempt = Math.max(0, ...members.map((pr) => decision.entry(pr).brokenRuns ?? 0)) + 1;
  if (attempt >= maxBrokenRuns) return false;
  const reason: Reason = { code: "INFRASTRUCTURE_ERROR", message, attempt };
  abandonRun(decision, run, reason, "AHEAD_RESTARTED");
  const retryAt = retryTime(decision, run, attempt);
  for (const pr of members) {
    const { attempts, brokenRuns = 0 } = decision.entry(pr);
    // Each entry has its own count, so that the earlier broken runs of other members do not count against it.
    decision.record({ type: "entry_delayed", pr, retryAt, attempts, brokenRuns: brokenRuns + 1, reason });
  }
  return true;
}

/**
 * Returns the entries that count a broken run. With the policy `adaptive`, these include entries that another run tests, too: otherwise a
 * run like the broken one would start again at once, without counting an attempt. Hedges are excluded, as they do not start again at once.
 */
function testedAgainAfter(decision: Decision, run: TestRun): readonly number[] {
  const members = waitingFor(decision, run);
  if (members.length > 0 || run.hedge) return members;
  return run.members.filter((pr) => decision.state.entries.has(pr));
}

/**
 * Handles a run that a person or a newer run of its workflow cancelled. Its members are tested again later, without evidence against them.
 * Members with too many cancelled runs in a row are evicted with this reason, because the cause is in the workflow.
 */
export function retryCancelledRun(decision: Decision, run: TestRun, checks: readonly FailedCheck[]): void {
  const members = waitingFor(decision, run).map((pr) => ({
    pr,
    cancelledRuns: (decision.entry(pr).cancelledRuns ?? 0) + 1,
  }));
  const attempt = Math.max(1, ...members.map(({ cancelledRuns }) => cancelledRuns));
  const message = checks.map(({ name }) => `${name} ended as cancelled`).join(", ");
  const reason: Reason = { code: "INFRASTRUCTURE_ERROR", message, attempt };
  abandonRun(decision, run, reason, "AHEAD_RESTARTED");
  for (const { pr, cancelledRuns } of members) {
    const { attempts } = decision.entry(pr);
    const retryAt = retryTime(decision, run, cancelledRuns);
    decision.record({ type: "entry_delayed", pr, retryAt, attempts, cancelledRuns, reason });
  }
  for (const { pr, cancelledRuns } of members) {
    if (cancelledRuns < maxCancelledRuns) continue;
    const because: Reason = { code: "TESTS_CANCELLED", checks, times: cancelledRuns };
    leave(decision, decision.entry(pr), "failed", because, { code: "AHEAD_FAILED", pr });
  }
}

export function waitingFor(decision: Decision, run: TestRun): readonly number[] {
  return decision.policy.waitingFor(decision.state, run);
}

/** Evicts the entries that wait for a run, because none of them can be tested. */
export function failRun(decision: Decision, run: TestRun, reason: Reason): void {
  decision.policy.failRun(decision, run, reason);
}

/** Gives a run up without a verdict. Its members wait again, and runs that contain it are built again. */
export function abandonRun(
  decision: Decision,
  run: TestRun,
  reason: Reason,
  followers: "AHEAD_HELD" | "AHEAD_RESTARTED" = "AHEAD_HELD",
): void {
  decision.policy.abandonRun(decision, run, reason, followers);
}

/** Exponential backoff. The delay varies by a quarter with the id of the run, so that queues do not all retry at once after an outage. */
function retryTime({ context }: Decision, run: TestRun, attempt: number): number {
  const ms = Math.min(firstRetryMs * 2 ** (attempt - 1), maxRetryMs);
  return context.now + Math.round(ms * (0.75 + fractionOf(run.id) / 2));
}

/** Returns a number in [0, 1) that depends only on the text (FNV-1a). */
function fractionOf(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return ((value ^ (value >>> 15)) >>> 0) / 2 ** 32;
}
