import type { Decision } from "../../decision.ts";
import { isFrozen } from "../../model/order/may-merge.ts";
import { requireBaseTip } from "../../model/queue.ts";
import type { StartedRun } from "../../model/test-run.ts";
import type { BeliefModel } from "./belief-model.ts";
import type { EntryEvidence } from "./belief-state.ts";

/** Starts a test run on the current base. Members in `pending_failure` are `pending` again until the test commit is built. */
export function startRun(
  decision: Decision,
  run: Pick<StartedRun, "kind" | "ahead" | "members" | "block" | "hedge">,
): void {
  const { state, context } = decision;
  for (const pr of run.members) {
    const entry = decision.entry(pr);
    if (entry.state === "pending_failure") decision.move(entry, "pending", { code: "RETESTED" });
  }
  decision.record({
    type: "run_started",
    run: {
      id: context.newId(),
      bisectionId: null,
      method: state.settings.mergeMethod,
      base: requireBaseTip(state),
      ...run,
    },
  });
}

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
