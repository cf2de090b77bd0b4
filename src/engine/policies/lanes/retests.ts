import { isBeingMerged } from "../../lifecycle/run-end.ts";
import { skipsTheLine } from "../../model/entry.ts";
import type { Track } from "../beliefs/adaptive-state.ts";
import type { Scene } from "../beliefs/scene.ts";
import { isScarce, type Slots } from "../beliefs/slots.ts";
import { isCertain } from "../beliefs/suspicion.ts";
import { isCertified } from "./cull.ts";
import { mayBeOvertaken } from "./merging.ts";

/**
 * The entries that have been tested and are to be tested again: every one that has neither a certificate, nor a run under
 * way that could give it one. Found anew each time, so that nobody can be forgotten.
 */
export function retests(scene: Scene, slots: Slots): Track[] {
  const found: Track[] = [];
  for (const track of scene.started) {
    if (track.certificates.length > 0 && isCertified(scene, track)) continue;
    if (isFree(scene, track) && needsTest(scene, track, slots)) found.push(track);
  }
  return scene.inOrder(found);
}

/** Nothing but a slot is between it and its test. */
export function isFree(scene: Scene, track: Track): boolean {
  const entry = scene.entry(track);
  if (entry.heldBehind.length > 0 || entry.retryAt !== null || scene.isExamined(track)) return false;
  return !isBeingMerged(scene.state, track.pr);
}

/** Asked of those without a proof that counts. */
function needsTest(scene: Scene, track: Track, slots: Slots): boolean {
  const own = scene.ownRuns(track.pr).filter((run) => !track.stale.includes(run.id));
  if (
    own.some(({ ahead, members }) =>
      scene.isUpToDate(track, (pr) => ahead.includes(pr) || members.includes(pr)),
    )
  )
    return false;
  if (track.reds.length === 0) return true;
  if (track.certificates.length > 0 && hasFailedSo(scene, track)) return false;
  // Certain: what it failed with is proved, and only has to merge. Unless that may not overtake it any more: then both would wait.
  const waitsForMerge = mayBeOvertaken(scene, track) && !isDecidedInFreeze(scene, track);
  if (scene.isDirect(track) && isCertain(scene, track) && waitsForMerge) return false;
  return !hasJustFailed(scene, track) && !(isScarce(slots) && isTestedBySuccessor(scene, track));
}

/** An urgent entry is decided during a freeze, in which what it failed with does not merge. */
function isDecidedInFreeze(scene: Scene, track: Track): boolean {
  return scene.state.freeze !== null && skipsTheLine(scene.entry(track));
}

/** It has passed without something that it fails on top of: which of these counts is known when that has been decided. */
function hasFailedSo(scene: Scene, track: Track): boolean {
  return track.reds.some(({ others }) => scene.isUpToDate(track, (pr) => others.includes(pr)));
}

/** What would be tested has just failed, and something in it is being tested itself, or will be: that verdict comes first. */
function hasJustFailed(scene: Scene, track: Track): boolean {
  const open = scene
    .ahead(track)
    .filter((other) => !scene.isLeftOut(other) && other.certificates.length === 0);
  const isBusy = (other: Track) => scene.ownRuns(other.pr).length > 0 || scene.entry(other).retryAt !== null;
  if (!open.some(isBusy)) return false;
  const suspects = new Set(open.map(({ pr }) => pr));
  return track.reds.some(({ others }) => {
    const left = others.filter((pr) => {
      const other = scene.track(pr);
      return other !== undefined && other.certificates.length === 0;
    });
    return left.length === suspects.size && left.every((pr) => suspects.has(pr));
  });
}

/** A successor whose tree contains it, and nobody else who may be at fault, is under test already. */
function isTestedBySuccessor(scene: Scene, track: Track): boolean {
  if (!scene.isDirect(track)) return false;
  return scene.runsWith(track.pr).some((run) => {
    if (run.members.includes(track.pr) || track.stale.includes(run.id)) return false;
    return ![...run.ahead, ...run.members].some((pr) => {
      const other = pr === track.pr ? undefined : scene.track(pr);
      return other?.suspect && other.certificates.length === 0;
    });
  });
}
