import type { Decision } from "../../decision.ts";
import { leave } from "../../lifecycle/requeue.ts";
import { waitsForBase } from "../../lifecycle/testing/base-test.ts";
import { isRedSpell, waitForPass } from "../../lifecycle/testing/red-spell.ts";
import { cannotJudgeFailures } from "../../model/base-test.ts";
import { isUnlikelyRowOfRuns } from "../../model/capacity/history.ts";
import { areSeparate, passesBefore } from "../../model/test-run.ts";
import type { BeliefModel } from "./belief-model.ts";
import { beliefsOf, type EntryEvidence, type FailedRunEvidence } from "./belief-state.ts";
import { checksOf } from "./evidence.ts";
import { suspend } from "./verdicts.ts";

/** An entry with at least this belief can be evicted. */
export const certainty = 0.975;
/** A single failure may always be a flake, however rare flakes are. */
const leastFailures = 2;

/** Whether an entry can be evicted without testing it again. */
export function isCertain(model: BeliefModel, evidence: EntryEvidence): boolean {
  return (
    evidence.reds.length >= leastFailures &&
    model.belief(evidence) >= certainty &&
    !isFromOverSpell(model, evidence)
  );
}

/** Whether nothing passed between the failures of an entry, but something has since: whatever made all tests fail may be over. */
function isFromOverSpell({ state }: BeliefModel, { reds }: EntryEvidence): boolean {
  const last = reds.at(-1);
  return last !== undefined && passesBefore(last) < state.history.passes && !isSeparate(reds);
}

/** Whether something passed between two failures. Those while the base itself failed do not count. */
function isSeparate(reds: readonly FailedRunEvidence[]): boolean {
  const [first, ...others] = reds.filter(({ whileBaseFailed }) => !whileBaseFailed);
  return first !== undefined && others.some((red) => areSeparate(first, red));
}

/** Makes suspects of entries that are more likely bad than good, and clears suspects that no longer are. */
export function reviseSuspects(decision: Decision, model: BeliefModel): void {
  for (const evidence of model.accused) {
    const suspect = model.isSuspicious(evidence);
    if (suspect === evidence.suspect) continue;
    const belief = Math.round(model.belief(evidence) * 1000) / 1000;
    decision.record({ type: "entry_suspected", pr: evidence.pr, suspect, belief });
  }
}

/** Evicts the first entry that is certain to be bad. If everything fails, it is tested again later instead. */
export function evictEntry(decision: Decision, model: BeliefModel): void {
  for (const evidence of model.accused) {
    const red = evidence.reds.length > 0 ? failureToEvictFor(model, evidence) : null;
    if (!red) continue;
    const { pr } = evidence;
    const entry = decision.entry(pr);
    if (!isSeparate(evidence.reds) && !isFromOverSpell(model, evidence)) {
      if (waitsForBase(decision, pr) || cannotJudgeFailures(decision.state)) continue;
    }
    // One passing test may make several other entries certain to be at fault at once, so that failed runs have to be counted, too.
    const { history } = decision.state;
    const isBroken = history.baseFinding?.verdict === "failed" || isUnlikelyRowOfRuns(history);
    if (isBroken && isRedSpell(decision.state, pr, decision.context.now)) {
      suspend(decision, entry, red.failure);
      return waitForPass(decision, pr, false);
    }
    return leave(decision, entry, "failed", red.failure, { code: "AHEAD_FAILED", pr });
  }
}

/** Returns the failure that an entry is evicted for; null if it may not be at fault, or waits for successors. */
function failureToEvictFor(model: BeliefModel, evidence: EntryEvidence): FailedRunEvidence | null {
  if (evidence.certificates.length > 0 || !model.failedAlone(evidence)) return null;
  const red = model.lastFailureAlone(evidence);
  if (!red || !(isCertain(model, evidence) || isEvictedAtOnce(model, red))) return null;
  return waitsForSuccessors(model, evidence) ? null : red;
}

/** Whether the policy evicts after one failure, and no check that failed is known to be flaky. */
function isEvictedAtOnce(model: BeliefModel, { failure }: FailedRunEvidence): boolean {
  if (!model.evictsAtOnce) return false;
  return !checksOf(failure).some((name) => (beliefsOf(model.state).rates.flakyChecks[name] ?? 0) > 0);
}

/** Whether an active test of a successor contains the entry and may still pass. False after more than `pendingFailureDepth` failures. */
function waitsForSuccessors(model: BeliefModel, evidence: EntryEvidence): boolean {
  const { pendingFailureDepth } = model.state.settings;
  if (pendingFailureDepth === 0 || evidence.reds.length > pendingFailureDepth) return false;
  return model.runsWith(evidence.pr).some(({ members }) => !members.includes(evidence.pr));
}
