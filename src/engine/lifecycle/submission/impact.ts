import type { Decision } from "../../decision.ts";
import type { Observation } from "../../model/input.ts";
import { isBeingMerged } from "../../model/order/may-merge.ts";
import { usesLanes } from "../../model/settings.ts";
import { sameTargets } from "../../model/targets.ts";
import { testAgain } from "../line.ts";
import { isMergeCalled, recallMerge } from "../merging/recall-merge.ts";
import { admitIfReady } from "./admission.ts";
import { declineDirectMerge } from "./direct-merge.ts";

/** Records the targets that a pull request impacts. In `parallel` mode, an entry in test is tested again, as its dependencies change. */
export function observeTargets(
  decision: Decision,
  { pr, headSha, targets }: Extract<Observation, { type: "targets_observed" }>,
): void {
  const entry = decision.state.entries.get(pr);
  if (entry?.headSha !== headSha || isMergeCalled(decision.state, pr)) return;
  if (entry.targets !== null && sameTargets(entry.targets, targets)) return;
  if (isBeingMerged(decision.state, pr)) recallMerge(decision);
  const isInTest = decision.policy.mayBeInTest(entry);
  if (isInTest && usesLanes(decision.state.settings)) testAgain(decision, pr, { code: "TARGETS_CHANGED" });
  decision.record({ type: "entry_targeted", pr, targets });
  // It was alone in its old lane. Whether it is alone in the new one is not known.
  if (entry.directOnto !== undefined) declineDirectMerge(decision, pr, "OVERTAKEN");
  admitIfReady(decision, pr);
}
