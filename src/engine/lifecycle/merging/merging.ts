import { assertNever } from "../../assert-never.ts";
import type { Decision } from "../../decision.ts";
import type { InputOf } from "../../model/input.ts";
import {
  leftBefore,
  type MergeAttempt,
  type MergedStep,
  type MergeStep,
  type MergeStop,
  meetsOthers,
} from "../../model/merge-attempt.ts";
import { baseTip, requireBaseTip } from "../../model/queue.ts";
import type { Reason } from "../../reasons/reason.ts";
import { pauseQueue } from "../obstacle.ts";
import { finishMerge, leave, sendBackEverything, testAgain } from "../requeue.ts";
import { observePullRequest } from "../submission/admission.ts";
import { resume } from "../testing/build.ts";
import { recallForbidden } from "./freeze.ts";
import { declineDirectMerge, isMergeCalled } from "./ordered-merge.ts";

/** Records the number of steps that are about to be called. The caller may ask GitHub only for the steps that the new state allows. */
export function callMerge(decision: Decision, { attemptId, steps }: InputOf<"merge_calling">): void {
  const { merge } = decision.state;
  if (merge?.id !== attemptId || steps > merge.steps.length || steps <= (merge.called ?? 0)) return;
  resume(decision, "merge");
  decision.record({ type: "merge_called", attemptId, steps });
}

/** Records the id of the request at GitHub. After a restart, the next process asks for the result by this id. */
export function noteRequest(decision: Decision, { attemptId, pr, id }: InputOf<"merge_requested">): void {
  const { merge } = decision.state;
  if (merge?.id !== attemptId || !isMergeCalled(decision.state, pr) || merge.request?.id === id) return;
  decision.record({ type: "merge_requested", attemptId, pr, id });
}

/** Records that GitHub did not merge called steps, so that they can be recalled again. */
export function takeBackCall(decision: Decision, { attemptId, steps }: InputOf<"merge_not_done">): void {
  const { merge } = decision.state;
  if (merge?.id !== attemptId || steps >= (merge.called ?? 0)) return;
  decision.record({ type: "merge_not_done", attemptId, steps });
  // Meanwhile, a freeze may have begun, or the queue may have been paused.
  recallForbidden(decision);
}

export function concludeMerge(decision: Decision, { attemptId, outcome }: InputOf<"merge_concluded">): void {
  const attempt = decision.state.merge;
  if (attempt?.id !== attemptId) return;
  resume(decision, "merge");
  decision.record({ type: "merge_ended", attemptId, outcome });
  for (const step of outcome.merged)
    finishMerge(decision, attempt, step, mergedReason(decision, attempt, step));
  const next = attempt.steps[outcome.merged.length];
  if (!outcome.stop || !next) return;
  if (attempt.direct) declineDirectMerge(decision, next.pr, "OVERTAKEN");
  stop(decision, attempt, next, outcome.stop);
}

function stop(decision: Decision, attempt: MergeAttempt, step: MergeStep, why: MergeStop): void {
  switch (why.kind) {
    case "base_moved":
      return moveBaseFromOutside(decision, why.actual);
    case "withdrawn":
      return observePullRequest(decision, why);
    case "head_changed":
      return fail(decision, step.pr, { code: "HEAD_CHANGED" });
    case "composition_conflict":
      return testAgain(decision, step.pr, { code: "BASE_MOVED", sha: requireBaseTip(decision.state) });
    case "refused":
      return refuse(decision, why.pr ?? step.pr, why);
    case "tree_mismatch":
      finishMerge(decision, attempt, { pr: step.pr, sha: why.mismatch.sha }, why.mismatch);
      sendBackEverything(decision, { code: "BASE_MOVED", sha: why.mismatch.sha });
      return pauseQueue(decision, why.mismatch);
    default:
      return assertNever(why);
  }
}

function mergedReason(decision: Decision, attempt: MergeAttempt, step: MergedStep): Reason {
  if (attempt.direct) return { code: "DIRECT_MERGED", sha: step.sha, proof: "head" };
  return decision.policy.mergeProof(decision, attempt, step);
}

function fail(decision: Decision, pr: number, reason: Reason): void {
  leave(decision, decision.entry(pr), "failed", reason, { code: "AHEAD_FAILED", pr });
}

/**
 * Handles a refused merge. If the refusal affects other pull requests, too, none is evicted: each keeps its place until the cause is gone.
 */
function refuse(
  decision: Decision,
  pr: number,
  { message, cause }: Extract<MergeStop, { kind: "refused" }>,
): void {
  const { lastRefusal, entries } = decision.state;
  const why = { message, ...(cause === undefined ? {} : { cause }) };
  if (!meetsOthers(lastRefusal, pr, cause ?? "OTHER"))
    return fail(decision, pr, { code: "MERGE_REFUSED", ...why });
  const left = leftBefore(lastRefusal, cause ?? "OTHER", entries);
  pauseQueue(decision, { code: "MERGING_NOT_ALLOWED", ...why, ...left });
}

/**
 * Records the tip of the base. Ignores a reading that is older than our own last merge. Also ignores readings while a merge is ordered,
 * because then only its outcome tells where the base is.
 */
export function observeBase(decision: Decision, { sha, asOfSeq }: InputOf<"base_observed">): void {
  const { state } = decision;
  if (state.merge || asOfSeq < state.baseSeq || sha === baseTip(state)) return;
  moveBaseFromOutside(decision, sha);
}

/** Records that somebody else moved the base. No run contains the new tip, so every entry is tested again. */
export function moveBaseFromOutside(decision: Decision, sha: string): void {
  decision.record({ type: "base_moved", sha, pr: null, since: decision.context.now });
  sendBackEverything(decision, { code: "BASE_MOVED", sha });
}
