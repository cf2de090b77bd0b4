import type { Decision } from "../../decision.ts";
import type { MergeAttempt, MergedStep } from "../../model/merge-attempt.ts";
import { requireRun } from "../../model/queue.ts";
import { sparedIn } from "../../model/spared-tests.ts";
import type { Reason } from "../../reasons/reason.ts";

export function mergeProof(
  { state }: Decision,
  { steps }: MergeAttempt,
  { pr, sha, proof }: Pick<MergedStep, "pr" | "sha" | "proof">,
): Reason {
  const verifiedBy = steps.find((step) => step.pr === pr)?.runId;
  if (!verifiedBy) throw new Error(`the merge of #${pr} was ordered without a test run`);
  const run = requireRun(state, verifiedBy);
  const isStep = run.members.at(-1) !== pr && proof !== "composed";
  const how = run.members.includes(pr) ? (isStep ? "batch" : proof) : "successor";
  return { code: "MERGED_IN_ORDER", sha, proof: how, verifiedBy, ...sparedIn(run) };
}
