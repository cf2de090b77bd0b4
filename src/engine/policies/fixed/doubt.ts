import type { Decision } from "../../decision.ts";
import { sendBack, sendBackFollowers } from "../../lifecycle/line.ts";
import type { Entry } from "../../model/entry.ts";
import { depend, dependsOnAny } from "../../model/order/dependencies.ts";
import { isComposed, type QueueState, runOf } from "../../model/queue.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";

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
export function acquit(decision: Decision, pr: number, run: TestRun): void {
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
