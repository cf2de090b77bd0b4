import type { Octokit } from "@octokit/rest";
import type { MergedStep, MergeOutcome, MergeStep, MergeStop } from "../engine/merge-attempt.ts";
import type { MergeMethod } from "../engine/settings.ts";
import type { MergePlan } from "../ports/code-host.ts";
import { type Repository, readTip, type Tip } from "./branches.ts";
import { CodeHostError } from "./code-host-error.ts";
import { classifyMergeRefusal, type MergeRefusal } from "./merge-refusal.ts";
import { patiently } from "./patience.ts";

const apiMethods = { merge_commit: "merge", squash: "squash", rebase: "rebase" } as const satisfies Record<
  MergeMethod,
  string
>;

/**
 * Has GitHub merge the pull requests one by one. Before each, the base must be where the tests stood; after each, its tree
 * must be the one that was tested. Whatever an earlier try did is found by reading, so that nothing is merged twice.
 */
export async function mergeByApi(octokit: Octokit, at: Repository, plan: MergePlan): Promise<MergeOutcome> {
  const merged: MergedStep[] = [];
  let expected = plan.base;
  let tip = await requireTip(octokit, at, plan.branch);
  for (const step of plan.steps) {
    const result = await mergeStep(octokit, at, plan, step, expected, tip);
    if ("kind" in result) return { merged, stop: result };
    if (result.commit.treeSha !== step.treeSha) {
      return { merged, stop: { kind: "tree_mismatch", mismatch: mismatchOf(step, result.commit) } };
    }
    const { sha, treeSha } = result.commit;
    merged.push({ pr: step.pr, sha, treeSha, proof: "same_tree" });
    expected = sha;
    tip = result.tip;
  }
  return { merged, stop: null };
}

interface Merged {
  /** What the base became. */
  readonly commit: Tip;
  /** Where the base was when that was read. */
  readonly tip: Tip;
}

async function mergeStep(
  octokit: Octokit,
  at: Repository,
  plan: MergePlan,
  step: MergeStep,
  expected: string,
  known: Tip,
): Promise<Merged | MergeStop> {
  let tip = known;
  let last: MergeRefusal | null = null;
  const result = await patiently<Merged | MergeStop>(async () => {
    if (last !== null) tip = await requireTip(octokit, at, plan.branch);
    if (tip.sha !== expected) {
      const sha = await mergedByUs(octokit, at, step.pr);
      if (sha !== null) return { commit: await commitOf(octokit, at, sha), tip };
      return { kind: "base_moved", actual: tip.sha };
    }
    try {
      const sha = await putMerge(octokit, at, plan.method, step);
      tip = await requireTip(octokit, at, plan.branch);
      return { commit: tip.sha === sha ? tip : await commitOf(octokit, at, sha), tip };
    } catch (error) {
      last = classifyMergeRefusal(error);
      return last.stop ?? "again";
    }
  });
  if (result !== "not_possible") return result;
  throw new CodeHostError("invalid", lastWords(last));
}

async function putMerge(
  octokit: Octokit,
  at: Repository,
  method: MergeMethod,
  step: MergeStep,
): Promise<string> {
  const { data } = await octokit.rest.pulls.merge({
    ...at,
    pull_number: step.pr,
    sha: step.headSha,
    merge_method: apiMethods[method],
  });
  return data.sha;
}

/** The commit that an earlier try of ours merged a pull request as; null when none did. A person's merge is not ours. */
async function mergedByUs(octokit: Octokit, at: Repository, pr: number): Promise<string | null> {
  const { data } = await octokit.rest.pulls.get({ ...at, pull_number: pr });
  return data.merged && data.merged_by?.type === "Bot" ? data.merge_commit_sha : null;
}

async function commitOf(octokit: Octokit, at: Repository, sha: string): Promise<Tip> {
  const { data } = await octokit.rest.git.getCommit({ ...at, commit_sha: sha });
  return { sha: data.sha, treeSha: data.tree.sha };
}

async function requireTip(octokit: Octokit, at: Repository, branch: string): Promise<Tip> {
  const tip = await readTip(octokit, at, branch);
  if (tip === null) throw new CodeHostError("not_found", `there is no branch ${branch} any more`);
  return tip;
}

function mismatchOf(step: MergeStep, landed: Tip) {
  return {
    code: "TREE_MISMATCH",
    pr: step.pr,
    sha: landed.sha,
    expectedTree: step.treeSha,
    actualTree: landed.treeSha,
  } as const;
}

function lastWords(refusal: MergeRefusal | null): string {
  return refusal?.message ?? "no answer";
}
