import type { Decision } from "../../decision.ts";
import type { PullRequestFacts } from "../../model/entry.ts";
import type { MergedStep } from "../../model/merge-attempt.ts";
import { isBeingMerged, remainingAhead, treeOf } from "../../model/order/dependencies.ts";
import { runOf } from "../../model/queue.ts";
import { usesLanes } from "../../model/settings.ts";
import type { Reason } from "../../reasons/reason.ts";
import { releaseDependents } from "../submission/readiness.ts";
import { recallMerge } from "./ordered-merge.ts";

/**
 * Records that the base got the tree in which an entry was tested. Tests that contain the entry remain valid.
 *
 * @param merge `startedAt`: before this time, in milliseconds since the epoch, the entry had not merged
 */
export function finishMerge(
  decision: Decision,
  { startedAt: since }: { readonly startedAt: number },
  { pr, sha }: Pick<MergedStep, "pr" | "sha">,
  reason: Reason,
): void {
  const entry = decision.entry(pr);
  const run = runOf(decision.state, entry);
  decision.record({ type: "base_moved", sha, pr, since });
  decision.move(entry, "merged", reason);
  releaseDependents(decision, pr);
  decision.policy.entryMerged(decision, entry, run, sha, reason);
}

/**
 * Records a merge by somebody else that gave the base exactly the tree in which the entry is tested, as the next one to merge. Returns
 * false for any other merge. The first of several members of a batch counts only if the batch has passed, because they are decided
 * together.
 */
export function absorbMerge(
  decision: Decision,
  { number: pr, baseBranch, mergedSha: sha, mergedTree }: PullRequestFacts,
  reason: Reason,
): boolean {
  const { state, context } = decision;
  const run = runOf(state, decision.entry(pr));
  const tested = run?.commits.find((commit) => commit.pr === pr);
  if (!run || !tested || sha === null || tested.treeSha !== mergedTree || baseBranch !== state.branch)
    return false;
  const members = run.members.filter((member) => state.entries.has(member));
  const isFirst = members[0] === pr && remainingAhead(state, run)?.length === 0;
  if (!isFirst || !decision.policy.mayMergeNext(state, run)) return false;
  // Nobody knows what a merge from outside impacts, so tests in other lanes do not stay valid without it.
  const isInAll = [...state.runs.values()].every((other) => treeOf(other).includes(pr));
  if (usesLanes(state.settings) && !isInAll) return false;
  if (members.length > 1 && run.state !== "passed") return false;
  if (isBeingMerged(state, pr)) recallMerge(decision);
  // While another merge is ordered, only its outcome tells where the base is.
  if (decision.state.merge) return false;
  finishMerge(decision, { startedAt: context.now }, { pr, sha }, reason);
  return true;
}
