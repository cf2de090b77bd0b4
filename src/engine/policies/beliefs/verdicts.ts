import type { Decision } from "../../decision.ts";
import type { MergeAttempt, MergedStep } from "../../model/merge-attempt.ts";
import { isBeingMerged } from "../../model/order/may-merge.ts";
import { requireRun, runOf } from "../../model/queue.ts";
import { sparedIn, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { arrangementOf } from "./arrangement.ts";
import { beliefsOf } from "./belief-state.ts";
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

/** A run is running again: the entries of its tree that have no other proof, or no other failure, wait for its verdict, or for another. */
export function takeBackVerdict(decision: Decision, run: TestRun, reason: Reason): void {
  for (const pr of [...run.ahead, ...run.members]) {
    const { state } = decision;
    const entry = state.entries.get(pr);
    const track = beliefsOf(state).tracks.get(pr);
    if (!entry || isBeingMerged(state, pr)) continue;
    const isBare =
      (entry.state === "tests_passed" && track?.certificates.length === 0) ||
      (entry.state === "pending_failure" && track?.reds.length === 0);
    if (!isBare) continue;
    if (entry.runId === run.id && run.members.includes(pr)) {
      decision.move(entry, "testing", reason);
      continue;
    }
    decision.move(entry, "pending", reason);
    const next = decision.entry(pr);
    if (runOf(decision.state, next)?.state === "running")
      decision.move(next, "testing", { code: "TESTS_STARTED" });
  }
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
