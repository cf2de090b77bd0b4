import type { Decision } from "../../decision.ts";
import type { MergeAttempt, MergedStep } from "../../model/merge-attempt.ts";
import { sparedIn } from "../../model/spared-tests.ts";
import type { Reason } from "../../reasons/reason.ts";

export function mergeProof(
  { state }: Decision,
  { steps }: MergeAttempt,
  { pr, sha, proof }: Pick<MergedStep, "pr" | "sha" | "proof">,
): Reason {
  const verifiedBy = steps.find((step) => step.pr === pr)?.runId ?? "";
  const run = state.runs.get(verifiedBy);
  const members = run?.members ?? [];
  const isStep = members.at(-1) !== pr && proof !== "composed";
  const how = members.includes(pr) ? (isStep ? "batch" : proof) : "successor";
  return { code: "MERGED_IN_ORDER", sha, proof: how, verifiedBy, ...sparedIn(run) };
}
