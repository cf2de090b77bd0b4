import { isFrozen } from "../../model/may-merge.ts";
import type { BeliefModel } from "./belief-model.ts";
import type { EntryEvidence } from "./belief-state.ts";

/**
 * Whether an entry has failed on top of only passed entries, which merge when the freeze ends. It can be judged only after their merge.
 * Until then, the entry would pass without them and fail on top of them again and again.
 */
export function hasFailedOnFrozen(model: BeliefModel, track: EntryEvidence): boolean {
  if (!isFrozen(model.state, model.entry(track))) return false;
  return track.reds.some(({ others }) => others.length > 0 && others.every((pr) => isPassed(model, pr)));
}

function isPassed(model: BeliefModel, pr: number): boolean {
  return model.state.entries.get(pr)?.state === "tests_passed";
}
