import type { Decision } from "../../decision.ts";
import { leave } from "../../lifecycle/line.ts";
import { discard, waitAgain } from "../../lifecycle/testing/run-end.ts";
import { isBeingMerged } from "../../model/order/may-merge.ts";
import { remainingAhead } from "../../model/queue.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { dissolveBehind, dissolveBlocksWith } from "../blocks/block-end.ts";
import { arrangementOf, modelOf } from "./arrangement.ts";
import type { BeliefModel } from "./belief-model.ts";
import { beliefsOf } from "./belief-state.ts";
import { realignEntry } from "./leaving.ts";

/** Returns the members of a run without a usable certificate or another active run. Empty for hedges, because no entry depends on them. */
function standsOnlyOn(model: BeliefModel, run: TestRun): readonly number[] {
  if (run.hedge) return [];
  return run.members.filter((pr) => {
    const track = model.track(pr);
    if (!track || model.isCertified(track)) return false;
    return model.ownRuns(pr).every(({ id }) => id === run.id);
  });
}

/** Returns the entries that wait for a run. All members of a block do, because giving up any run of the block dissolves it. */
export function waitingFor(model: BeliefModel, run: TestRun): readonly number[] {
  return run.block ? run.members.filter((pr) => !isBeingMerged(model.state, pr)) : standsOnlyOn(model, run);
}

/** Evicts the entries that wait for a run. */
export function failRun(decision: Decision, run: TestRun, reason: Reason): void {
  const members = waitingFor(modelOf(decision), run);
  abandonRun(decision, run, { code: "RETESTED" });
  for (const pr of members) waitAgain(decision, pr, { code: "RETESTED" });
  for (const pr of members)
    leave(decision, decision.entry(pr), "failed", reason, { code: "AHEAD_FAILED", pr });
}

/**
 * Whether a failed build decides about a member. On the bare base it does, because other builds of the member would fail, too, unless a
 * test of the member is running.
 */
function isDecidedBy(decision: Decision, run: TestRun, pr: number): boolean {
  const isBet = (run.hedge?.against ?? null) !== null;
  const isOnBase = !isBet && run.members[0] === pr && remainingAhead(decision.state, run)?.length === 0;
  const model = modelOf(decision);
  const track = model.track(pr);
  if (isOnBase && track && decision.entry(pr).state !== "testing") return !model.isCertified(track);
  return standsOnlyOn(model, run).includes(pr);
}

/** Gives up a run without a verdict. For a hedge, the reason `SLOT_NEEDED` prevents new hedges for a while. */
export function abandonRun(decision: Decision, run: TestRun, reason: Reason): void {
  const keepsPlace = reason.code === "REQUIRED_CHECKS_CHANGED";
  if (run.block && keepsPlace) dissolveBehind(decision, run.members[0]);
  if (run.block) return dissolveBlocksWith(decision, run.members, reason);
  const waiting = standsOnlyOn(modelOf(decision), run);
  discard(decision, run, run.hedge ? { code: "SLOT_NEEDED" } : reason);
  const proved = waiting.filter((pr) => decision.entry(pr).state === "tests_passed");
  // Their certificates are not for the tree that they would merge onto.
  if (proved.length > 0) decision.record({ type: "evidence_dropped", prs: proved, inPlace: true });
  const because: Reason = keepsPlace ? reason : { code: "RETESTED" };
  for (const pr of run.members) realignEntry(decision, pr, because);
  for (const pr of waiting) waitAgain(decision, pr, reason);
}

/**
 * Decides about the entries that conflict in a test commit. On the bare base, they are evicted. Otherwise the conflict may come from
 * missing dependencies of the direct dependencies: then the next test is built on the transitive dependencies. If that conflicts, too, or
 * in `single` mode, the entry is held until the entries ahead are decided.
 */
export function widenOrHold(decision: Decision, run: TestRun, culprit: number, reason: Reason): void {
  const ahead = run.ahead.filter((pr) => decision.state.entries.has(pr));
  const index = run.members.indexOf(culprit);
  const held = index < 0 ? run.members : [culprit];
  const behind = index < 0 ? ahead : [...ahead, ...run.members.slice(0, index)];
  const waiting = held.filter(
    (pr) => run.members.includes(pr) && (run.block || isDecidedBy(decision, run, pr)),
  );
  const because: Reason = { code: "CONFLICT_WITH_AHEAD", prs: behind };
  const { holdsOnConflict } = arrangementOf(decision);
  abandonRun(decision, run, because);
  for (const pr of waiting) {
    if (behind.length === 0) {
      leave(decision, decision.entry(pr), "failed", reason, { code: "AHEAD_FAILED", pr });
    } else if (holdsOnConflict(beliefsOf(decision.state).tracks.get(pr))) {
      decision.record({ type: "entry_held", pr, behind });
    } else decision.record({ type: "entry_widened", pr });
  }
}
