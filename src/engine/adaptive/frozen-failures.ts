import type { Track } from "./adaptive-state.ts";
import type { Scene } from "./scene.ts";

/**
 * Whether an entry has failed on top of nothing but what merges when the freeze ends. It is tested again on the base only then:
 * by itself it may pass every time, and fail on top of that again, until the freeze ends.
 */
export function hasFailedOnFrozen(scene: Scene, { reds }: Track): boolean {
  if (scene.state.freeze === null) return false;
  return reds.some(({ others }) => others.length > 0 && others.every((pr) => isPassed(scene, pr)));
}

function isPassed(scene: Scene, pr: number): boolean {
  return scene.state.entries.get(pr)?.state === "tests_passed";
}
