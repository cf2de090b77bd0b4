import type { Decision } from "../../decision.ts";
import { leave, sendBack, sendBackFollowers, testAgain } from "../../lifecycle/requeue.ts";
import { waitsForBase } from "../../lifecycle/testing/base-test.ts";
import { isRedSpell, waitForPass } from "../../lifecycle/testing/red-spell.ts";
import { cannotJudgeFailures } from "../../model/base-test.ts";
import type { Entry } from "../../model/entry.ts";
import { depend, dependsOnAny, isComposed, remainingAhead } from "../../model/order/dependencies.ts";
import { type QueueState, requireBaseTip, runOf } from "../../model/queue.ts";
import { areSeparate, isActive, passesBefore, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { bisect, narrow } from "./bisection.ts";

/**
 * Decides the failures with no undecided entry ahead. A failure counts once the successors that it waits for have ended without a pass.
 * Then a single entry is evicted, because it has failed on its actual predecessors, and a batch is bisected.
 */
export function decidePendingFailures(decision: Decision): void {
  for (const { entry: before } of decision.state.line.entries) {
    // No other entry becomes a pending failure during this loop.
    if (before.state !== "pending_failure") continue;
    const entry = decision.state.entries.get(before.pr);
    const run = entry && runOf(decision.state, entry);
    if (!run || entry.state !== "pending_failure") continue;
    const ahead = remainingAhead(decision.state, run);
    if (ahead === null && entry.doubted !== undefined) decideFailure(decision, entry, run);
    else if (ahead === null)
      sendBack(decision, entry, { code: "BASE_MOVED", sha: requireBaseTip(decision.state) });
    else if (ahead.length === 0) decideFailure(decision, entry, run);
  }
}

function decideFailure(decision: Decision, entry: Entry, run: TestRun): void {
  const successors = [...successorsOf(decision.state, run)];
  const green = successors.find(({ state }) => state === "passed");
  // A successor that contains it has passed. Without optimistic merging, it must pass by itself, and gets another test for this.
  if (green && mayBeDoubted(entry))
    return doubt(decision, run, { code: "SUCCESSOR_PASSED", pr: green.members[0] });
  if (successors.slice(0, decision.state.settings.pendingFailureDepth).some(isActive)) return;
  if (isFromOverSpell(decision.state, entry, run)) return testAgain(decision, entry.pr, { code: "RETESTED" });
  if (isDoubtful(decision.state, entry, run))
    return doubt(decision, run, { code: "FAILED_ONCE", failure: entry.reason });
  if (run.members.length === 1) return decideSecondFailure(decision, entry, run);
  sendBackBehind(decision, run);
  bisect(decision, run, entry.reason);
}

/**
 * Whether nothing passed between the two failures of an entry, but something has passed since. Then what made all tests fail may be over.
 */
function isFromOverSpell({ history }: QueueState, { doubted }: Entry, run: TestRun): boolean {
  return doubted !== undefined && !areSeparate(doubted, run) && passesBefore(run) < history.passes;
}

/** Evicts an entry that failed twice, unless both failures may have had the same cause outside it. */
function decideSecondFailure(decision: Decision, entry: Entry, run: TestRun): void {
  const { pr, doubted, reason } = entry;
  const { settings, history } = decision.state;
  const isSeparate = doubted !== undefined && areSeparate(doubted, run);
  if (settings.policy !== "fixed" && !isSeparate && passesBefore(run) === history.passes) {
    if (waitsForBase(decision, pr)) return;
    if (cannotJudgeFailures(decision.state)) return testAgain(decision, pr, { code: "RETESTED" });
    if (isRedSpell(decision.state, pr, decision.context.now)) return waitForPass(decision, pr, true);
  }
  leave(decision, entry, "failed", reason, { code: "AHEAD_FAILED", pr });
}

export function runPassed(decision: Decision, run: TestRun): void {
  const reason: Reason = { code: "TESTS_PASSED" };
  if (run.kind === "bisection") return narrow(decision, run, "passed", reason);
  decision.record({ type: "run_concluded", runId: run.id, verdict: "passed", reason });
  const doubted = run.members.filter((pr) => decision.entry(pr).doubted !== undefined);
  for (const pr of run.members) decision.move(decision.entry(pr), "tests_passed", reason);
  for (const pr of doubted) clearEntry(decision, pr, run);
  if (decision.state.settings.canOptimisticallyMerge) vouchForAhead(decision, run);
}

/** Counts a passing run as a pass for the undecided entries ahead in its tree. Their own tests are not needed any more. */
function vouchForAhead(decision: Decision, run: TestRun): void {
  const reason: Reason = { code: "SUCCESSOR_PASSED", pr: run.members[0] };
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
 * Handles a failed run. Its members are `pending_failure` until the entries ahead of them are decided. The entries built on them are tested
 * without them at once: whether the members or the entries ahead are at fault, a test that contains both is useless. Unless the queue waits
 * for successors (`pendingFailureDepth`) to tell flakes from failures.
 */
export function runFailed(decision: Decision, run: TestRun, reason: Reason): void {
  if (run.kind === "bisection") return narrow(decision, run, "failed", reason);
  decision.record({ type: "run_concluded", runId: run.id, verdict: "failed", reason });
  for (const pr of run.members) decision.move(decision.entry(pr), "pending_failure", reason);
  if (decision.state.settings.pendingFailureDepth > 0) return;
  sendBackBehind(decision, run);
}

/** Requeues the entries whose tests contain members of a failed run. */
function sendBackBehind(decision: Decision, { members }: TestRun): void {
  const batch = members.length > 1 ? { batch: members } : {};
  for (const pr of members) sendBackFollowers(decision, pr, { code: "AHEAD_FAILED", pr, ...batch });
}

/** Moves the members of a run that is running again back into testing. */
export function runReopened(decision: Decision, run: TestRun, reason: Reason): void {
  for (const pr of run.members) {
    const entry = decision.state.entries.get(pr);
    if (entry?.state !== "tests_passed" && entry?.state !== "pending_failure") continue;
    if (entry.runId === run.id) decision.move(entry, "testing", reason);
  }
}

/** Two entries that pass only on top of each other would be doubted in turn, without end. */
const mostDoubts = 3;

/** Whether a failure of an entry may be doubted once more. */
export function mayBeDoubted({ doubted, doubts = 0 }: Entry): boolean {
  return (!doubted || doubted.forgiven === true) && doubts < mostDoubts;
}

/** Whether a single entry that failed on what it merges onto is tested once more before it is evicted. Not with the policy `fixed`. */
export function isDoubtful({ settings }: QueueState, entry: Entry, run: TestRun): boolean {
  if (settings.policy === "fixed" || run.members.length > 1) return false;
  return mayBeDoubted(entry);
}

/** Tests the members of a failed run once more, each alone and behind the others (see `DoubtedFailure`). */
export function doubt(decision: Decision, run: TestRun, reason: Reason): void {
  for (const pr of run.members) decision.record({ type: "failure_doubted", pr });
  sendBack(decision, decision.entry(run.members[0]), reason);
  for (const pr of run.members) sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
}

/**
 * Called when a doubted entry passes. If others have merged since its test began, or are being merged, it is tested again on top of them.
 * Otherwise the entries behind it are tested again, because their tests do not contain it.
 */
export function clearEntry(decision: Decision, pr: number, run: TestRun): void {
  const passed = decision.entry(pr);
  if (isComposed(decision.state, run) || isBeingOvertaken(decision.state, passed, run)) {
    return sendBack(decision, passed, { code: "RETESTED" });
  }
  for (const { entry: before, run: tested } of decision.state.line.behind(pr)) {
    const entry = decision.state.entries.get(before.pr);
    if (!entry || !tested || runOf(decision.state, entry) !== tested) continue;
    if (tested.ahead.includes(pr) || !depend(decision.state, passed, entry)) continue;
    sendBack(decision, entry, { code: "AHEAD_RESTARTED", pr });
    sendBackFollowers(decision, entry.pr, { code: "AHEAD_RESTARTED", pr: entry.pr });
  }
}

function isBeingOvertaken(state: QueueState, passed: Entry, { ahead, members }: TestRun): boolean {
  const steps = state.merge?.steps ?? [];
  const others = steps.flatMap(({ pr }) => state.entries.get(pr) ?? []);
  return (
    others.some(({ pr }) => !ahead.includes(pr) && !members.includes(pr)) &&
    dependsOnAny(state, passed, others)
  );
}

/** Yields the runs whose trees contain the members of a run ahead, in the order of the line. */
export function* successorsOf(state: QueueState, run: TestRun): Generator<TestRun, undefined> {
  const [member] = run.members;
  let last: TestRun | null = null;
  for (const { run: other } of state.line.behind(member)) {
    // The members of a run are adjacent in the line.
    if (other === null || other === last || !other.ahead.includes(member)) continue;
    last = other;
    yield other;
  }
}

/** Returns the active runs among the first `pendingFailureDepth` successors of a failed run. */
export function undecidedSuccessors(state: QueueState, run: TestRun): TestRun[] {
  const depth = state.settings.pendingFailureDepth;
  return depth === 0 ? [] : [...successorsOf(state, run).take(depth)].filter(isActive);
}
