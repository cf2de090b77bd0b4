import type { Decision } from "../../decision.ts";
import { leave } from "../../lifecycle/line.ts";
import { isRedSpell, isSpellOfRuns, waitForPass } from "../../lifecycle/red-spell.ts";
import { effective, type QueueSettings, usesLanes } from "../../model/settings.ts";
import type { BeliefModel } from "./belief-model.ts";
import type { EntryEvidence, FailedRunEvidence } from "./belief-state.ts";
import { checksOf } from "./evidence.ts";
import { suspend } from "./leaving.ts";

/** The belief from which on an entry is evicted. */
export const certainty = 0.975;
/** A single failure may always be a flake, however rare flakes are. */
const leastFailures = 2;

/** Whether an entry can be evicted without testing it again. */
export function isCertain(model: BeliefModel, track: EntryEvidence): boolean {
  return track.reds.length >= leastFailures && model.belief(track) >= certainty;
}

/** Makes suspects of those who are likelier bad than good, and takes it back. */
export function reviseSuspects(decision: Decision, model: BeliefModel): void {
  for (const track of model.accused) {
    const suspect = model.isSuspicious(track);
    if (suspect === track.suspect) continue;
    const belief = Math.round(model.belief(track) * 1000) / 1000;
    decision.record({ type: "entry_suspected", pr: track.pr, suspect, belief });
  }
}

/** Removes the first entry that is certain to be bad, unless everything fails. */
export function convict(decision: Decision, model: BeliefModel): void {
  for (const track of model.accused) {
    const red = track.reds.length > 0 ? convictionOf(model, track) : null;
    if (!red) continue;
    const { pr } = track;
    const entry = decision.entry(pr);
    // One passing test may convict several others at once, so that failed runs have to be counted, too.
    if (isRedSpell(decision.state, entry, decision.context.now) && isSpellOfRuns(decision.state)) {
      suspend(decision, entry, red.failure);
      return waitForPass(decision, pr, false);
    }
    return leave(decision, entry, "failed", red.failure, { code: "AHEAD_FAILED", pr });
  }
}

/** The failure that an entry is evicted for; null when it may still be innocent, or successors are waited for. */
function convictionOf(model: BeliefModel, track: EntryEvidence): FailedRunEvidence | null {
  if (track.certificates.length > 0 || !model.isDirect(track)) return null;
  const red = model.conviction(track);
  if (!red || !(isCertain(model, track) || convictsAtOnce(model, red))) return null;
  return waitsForSuccessors(model, track) ? null : red;
}

/** In a line of one nothing is gained by waiting, unless it is known that the checks lie. */
function convictsAtOnce(model: BeliefModel, { failure }: FailedRunEvidence): boolean {
  const { settings, adaptive } = model.state;
  if (!isLine(settings)) return false;
  return !checksOf(failure).some((name) => (adaptive.rates.flakyChecks[name] ?? 0) > 0);
}

export function isLine(settings: QueueSettings): boolean {
  return !usesLanes(settings) && effective(settings, "concurrency") === 1 && !settings.batch;
}

/** While fewer runs have failed than successors may be waited for, one of these may still pass. */
function waitsForSuccessors(model: BeliefModel, track: EntryEvidence): boolean {
  const { pendingFailureDepth } = model.state.settings;
  if (pendingFailureDepth === 0 || track.reds.length > pendingFailureDepth) return false;
  return model.runsWith(track.pr).some(({ members }) => !members.includes(track.pr));
}
