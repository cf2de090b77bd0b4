import { isFrozen } from "../../model/may-merge.ts";
import type { Track } from "./adaptive-state.ts";
import type { Scene } from "./scene.ts";

/**
 * Whether an entry has failed on top of nothing but what merges when the freeze ends. What decides between them is that merge: until
 * then, the entry would pass without these and fail on top of them again and again.
 */
export function hasFailedOnFrozen(scene: Scene, track: Track): boolean {
  if (!isFrozen(scene.state, scene.entry(track))) return false;
  return track.reds.some(({ others }) => others.length > 0 && others.every((pr) => isPassed(scene, pr)));
}

function isPassed(scene: Scene, pr: number): boolean {
  return scene.state.entries.get(pr)?.state === "tests_passed";
}
