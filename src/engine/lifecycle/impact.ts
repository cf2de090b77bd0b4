import { admitIfReady } from "./admission.ts";
import type { Decision } from "../decision.ts";
import { declineDirectMerge } from "./direct-merge.ts";
import type { Observation } from "../model/input.ts";
import { sendBack, sendBackFollowers } from "./line.ts";
import { isMergeCalled, recallMerge } from "./recall-merge.ts";
import { isBeingMerged } from "./run-end.ts";
import { usesBeliefs } from "../model/strategy.ts";
import { sameTargets } from "../model/targets.ts";

/** Takes note of what a pull request impacts. Tests that stand on other targets begin anew, in `parallel` mode. */
export function observeTargets(
  decision: Decision,
  { pr, headSha, targets }: Extract<Observation, { type: "targets_observed" }>,
): void {
  const entry = decision.state.entries.get(pr);
  if (entry?.headSha !== headSha || isMergeCalled(decision.state, pr)) return;
  if (entry.targets !== null && sameTargets(entry.targets, targets)) return;
  if (isBeingMerged(decision.state, pr)) recallMerge(decision);
  // With the adaptive policy what waits may be part of a test, too.
  const isInLine = entry.runId !== null || entry.bisectionId !== null || usesBeliefs(decision.state);
  if (isInLine && decision.state.settings.mode === "parallel") {
    sendBack(decision, entry, { code: "TARGETS_CHANGED" });
    sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
  }
  decision.record({ type: "entry_targeted", pr, targets });
  // It was alone in its lane; whether it is in the new one is not known.
  if (entry.directOnto !== undefined) declineDirectMerge(decision, pr, "OVERTAKEN");
  admitIfReady(decision, pr);
}
