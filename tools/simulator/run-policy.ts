import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/run-engine.ts";
import type { Outcome } from "../../src/replay/outcome.ts";
import { type Summary, summarize } from "../../src/replay/summary.ts";
import type { Workload } from "../../src/replay/workload/workload.ts";
import { isReferencePolicyName, type ReferencePolicyName, referencePolicies } from "./reference/policies.ts";
import { runReference } from "./reference/run-reference.ts";

export type PolicyName = "ours" | ReferencePolicyName;

export const policyNames: readonly string[] = ["ours", ...Object.keys(referencePolicies)];

export function isPolicyName(name: string): name is PolicyName {
  return name === "ours" || isReferencePolicyName(name);
}

/** Runs a workload through a policy, and measures it. The settings apply to Trainyard's queue only. */
export function runPolicy(
  name: PolicyName,
  workload: Workload,
  settings: QueueSettings,
): { readonly outcome: Outcome; readonly summary: Summary } {
  const began = performance.now();
  const outcome = name === "ours" ? runEngine(workload, settings) : runReference(workload, name);
  return { outcome, summary: summarize(outcome, workload.settings, performance.now() - began) };
}
