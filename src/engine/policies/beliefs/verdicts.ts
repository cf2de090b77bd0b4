import type { Decision } from "../../decision.ts";
import type { MergeAttempt, MergedStep } from "../../model/merge-attempt.ts";
import { requireRun } from "../../model/queue.ts";
import { sparedIn, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { arrangementOf } from "./arrangement.ts";
import { realignEntries, realignEntry } from "./leaving.ts";

/** A passing run proves entries. Which ones depends on how the policy arranges them. */
export function concludePass(decision: Decision, run: TestRun): void {
  const isBaseRed = decision.state.history.baseFinding?.verdict === "failed";
  decision.record({
    type: "run_concluded",
    runId: run.id,
    verdict: "passed",
    reason: { code: "TESTS_PASSED" },
  });
  if (isBaseRed) realignEntries(decision, { code: "RETESTED" });
  arrangementOf(decision).runPassed(decision, run);
}

/** A failing run is evidence against its whole tree. Further tests find the culprit. */
export function concludeFailure(decision: Decision, run: TestRun, reason: Reason): void {
  decision.record({ type: "run_concluded", runId: run.id, verdict: "failed", reason });
  for (const pr of run.members) realignEntry(decision, pr, { code: "RETESTED" });
}

/** Returns the proof of a merge: a run whose member the entry is, or the run of a successor. */
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
