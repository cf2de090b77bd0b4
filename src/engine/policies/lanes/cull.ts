import type { Decision } from "../../decision.ts";
import { discard } from "../../lifecycle/testing/run-end.ts";
import { isBeingMerged } from "../../model/order/may-merge.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { EntryEvidence } from "../beliefs/belief-state.ts";
import { realignEntries } from "../beliefs/leaving.ts";

/** Discards active runs that can prove nothing new, and ended runs whose verdicts are no longer needed. */
export function cull(decision: Decision, model: BeliefModel): void {
  const useless = [...model.state.runs.values()].filter((run) =>
    isActive(run) ? !tellsSomething(model, run) : !isKept(model, run),
  );
  if (useless.length === 0) return;
  for (const run of useless) discard(decision, run, { code: "VERDICT_KNOWN" });
  realignEntries(decision, { code: "RETESTED" });
}

function tellsSomething(model: BeliefModel, run: TestRun): boolean {
  return run.members.some((pr) => {
    const track = model.track(pr);
    if (!track || track.stale.includes(run.id) || isBeingMerged(model.state, pr)) return false;
    if (track.certificates.length === 0) return true;
    return run.hedge ? isOpen(model, track) : !model.isCertified(track);
  });
}

/** Whether a dependency of an entry is still undecided. */
export function isOpen(model: BeliefModel, track: EntryEvidence): boolean {
  return model.ahead(track).some(({ certificates }) => certificates.length === 0);
}

/** Whether an ended run is kept: its commits may be merged, or it is the run that an entry shows. */
function isKept(model: BeliefModel, run: TestRun): boolean {
  return [...run.ahead, ...run.members].some((pr) => {
    const entry = model.state.entries.get(pr);
    if (!entry) return false;
    if (isBeingMerged(model.state, pr)) return entry.runId === run.id || mergesBy(model, run);
    if (entry.runId === run.id && entry.state !== "pending") return true;
    return model.track(pr)?.certificates.some(({ runId }) => runId === run.id) ?? false;
  });
}

function mergesBy(model: BeliefModel, run: TestRun): boolean {
  return model.state.merge?.steps.some((step) => step.runId === run.id) ?? false;
}
