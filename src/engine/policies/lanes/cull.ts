import type { Decision } from "../../decision.ts";
import { discard, isBeingMerged } from "../../lifecycle/run-end.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { Track } from "../beliefs/adaptive-state.ts";
import { stand } from "../beliefs/leaving.ts";
import type { Scene } from "../beliefs/scene.ts";

/** Discards the runs that nothing can be learnt from any more, and those whose verdict has been used up. */
export function cull(decision: Decision, scene: Scene): void {
  const useless = [...scene.state.runs.values()].filter((run) =>
    isActive(run) ? !tellsSomething(scene, run) : !isKept(scene, run),
  );
  if (useless.length === 0) return;
  for (const run of useless) discard(decision, run, { code: "VERDICT_KNOWN" });
  stand(decision, { code: "RETESTED" });
}

function tellsSomething(scene: Scene, run: TestRun): boolean {
  return run.members.some((pr) => {
    const track = scene.track(pr);
    if (!track || track.stale.includes(run.id) || isBeingMerged(scene.state, pr)) return false;
    if (track.certificates.length === 0) return true;
    return run.hedge ? isOpen(scene, track) : !isCertified(scene, track);
  });
}

/** Whether it may merge once what is ahead has. */
export function isCertified(scene: Scene, track: Track): boolean {
  return track.certificates.some((certificate) => scene.isUsable(track, certificate));
}

/** Something ahead of it may still end either way. */
export function isOpen(scene: Scene, track: Track): boolean {
  return scene.ahead(track).some(({ certificates }) => certificates.length === 0);
}

/** Its commits are to be merged, or it is what people look at. */
function isKept(scene: Scene, run: TestRun): boolean {
  return [...run.ahead, ...run.members].some((pr) => {
    const entry = scene.state.entries.get(pr);
    if (!entry) return false;
    if (isBeingMerged(scene.state, pr)) return entry.runId === run.id || mergesBy(scene, run);
    if (entry.runId === run.id && entry.state !== "pending") return true;
    return scene.track(pr)?.certificates.some(({ runId }) => runId === run.id) ?? false;
  });
}

function mergesBy(scene: Scene, run: TestRun): boolean {
  return scene.state.merge?.steps.some((step) => step.runId === run.id) ?? false;
}
