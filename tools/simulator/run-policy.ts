import { decide } from "../../src/engine/decide.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { type Outcome, type Summary, summarize } from "../../src/replay/outcome.ts";

import type { Workload } from "../../src/replay/workload/workload.ts";
import { type ReferencePolicyName, referencePolicies } from "./reference/policies.ts";
import { runReference } from "./reference/run-reference.ts";

export type PolicyName = "ours" | ReferencePolicyName;

export const policyNames: readonly PolicyName[] = [
  "ours",
  ...(Object.keys(referencePolicies) as ReferencePolicyName[]),
];

/**
 * Runs a workload through a policy, and measures it. The settings apply to Trainyard's queue only.
 *
 * @param onSubmitted is called with the number of submissions to Trainyard's queue so far; the reference policies are fast
 */
export function runPolicy(
  name: PolicyName,
  workload: Workload,
  settings: QueueSettings,
  onSubmitted: (count: number) => void = () => {},
): { readonly outcome: Outcome; readonly summary: Summary } {
  const began = performance.now();
  let submitted = 0;
  const decideAndCount: typeof decide = (state, input, context) => {
    if (input.type === "submit") submitted += 1;
    // The decisions after the last submission take time, too.
    onSubmitted(submitted);
    return decide(state, input, context);
  };
  const outcome =
    name === "ours" ? runEngine(workload, settings, decideAndCount) : runReference(workload, name);
  return { outcome, summary: summarize(outcome, workload.settings, performance.now() - began) };
}
