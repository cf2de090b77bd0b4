import { skipsTheLine } from "../../model/entry.ts";
import { isBeingMerged } from "../../model/may-merge.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { EntryEvidence } from "../beliefs/belief-state.ts";
import { isScarce, type Slots } from "../beliefs/slots.ts";
import { isCertain } from "../beliefs/suspicion.ts";
import { isCertified } from "./cull.ts";
import { mayBeOvertaken } from "./merging.ts";

/**
 * The entries that have been tested and are to be tested again: every one that has neither a certificate, nor a run under
 * way that could give it one. Found anew each time, so that nobody can be forgotten.
 */
export function retests(model: BeliefModel, slots: Slots): EntryEvidence[] {
  const found: EntryEvidence[] = [];
  for (const track of model.started) {
    if (track.certificates.length > 0 && isCertified(model, track)) continue;
    if (isFree(model, track) && needsTest(model, track, slots)) found.push(track);
  }
  return model.inOrder(found);
}

/** Nothing but a slot is between it and its test. */
export function isFree(model: BeliefModel, track: EntryEvidence): boolean {
  const entry = model.entry(track);
  if (entry.heldBehind.length > 0 || entry.retryAt !== null || model.isExamined(track)) return false;
  return !isBeingMerged(model.state, track.pr);
}

/** Asked of those without a proof that counts. */
function needsTest(model: BeliefModel, track: EntryEvidence, slots: Slots): boolean {
  const own = model.ownRuns(track.pr).filter((run) => !track.stale.includes(run.id));
  if (
    own.some(({ ahead, members }) =>
      model.isUpToDate(track, (pr) => ahead.includes(pr) || members.includes(pr)),
    )
  )
    return false;
  if (track.reds.length === 0) return true;
  if (track.certificates.length > 0 && hasFailedSo(model, track)) return false;
  // Certain: what it failed with is proved, and only has to merge. Unless that may not overtake it any more: then both would wait.
  const waitsForMerge = mayBeOvertaken(model, track) && !isDecidedInFreeze(model, track);
  if (model.isDirect(track) && isCertain(model, track) && waitsForMerge) return false;
  return !hasJustFailed(model, track) && !(isScarce(slots) && isTestedBySuccessor(model, track));
}

/** An urgent entry is decided during a freeze, in which what it failed with does not merge. */
function isDecidedInFreeze(model: BeliefModel, track: EntryEvidence): boolean {
  return model.state.freeze !== null && skipsTheLine(model.entry(track));
}

/** It has passed without something that it fails on top of: which of these counts is known when that has been decided. */
function hasFailedSo(model: BeliefModel, track: EntryEvidence): boolean {
  return track.reds.some(({ others }) => model.isUpToDate(track, (pr) => others.includes(pr)));
}

/** What would be tested has just failed, and something in it is being tested itself, or will be: that verdict comes first. */
function hasJustFailed(model: BeliefModel, track: EntryEvidence): boolean {
  const open = model
    .ahead(track)
    .filter((other) => !model.isLeftOut(other) && other.certificates.length === 0);
  const isBusy = (other: EntryEvidence) =>
    model.ownRuns(other.pr).length > 0 || model.entry(other).retryAt !== null;
  if (!open.some(isBusy)) return false;
  const suspects = new Set(open.map(({ pr }) => pr));
  return track.reds.some(({ others }) => {
    const left = others.filter((pr) => {
      const other = model.track(pr);
      return other !== undefined && other.certificates.length === 0;
    });
    return left.length === suspects.size && left.every((pr) => suspects.has(pr));
  });
}

/** A successor whose tree contains it, and nobody else who may be at fault, is under test already. */
function isTestedBySuccessor(model: BeliefModel, track: EntryEvidence): boolean {
  if (!model.isDirect(track)) return false;
  return model.runsWith(track.pr).some((run) => {
    if (run.members.includes(track.pr) || track.stale.includes(run.id)) return false;
    return ![...run.ahead, ...run.members].some((pr) => {
      const other = pr === track.pr ? undefined : model.track(pr);
      return other?.suspect && other.certificates.length === 0;
    });
  });
}
