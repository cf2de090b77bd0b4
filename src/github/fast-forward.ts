import type { Octokit } from "@octokit/rest";
import type { MergeOutcome } from "../engine/merge-attempt.ts";
import type { MergePlan } from "../ports/code-host.ts";
import { type Repository, readRef } from "./branches.ts";
import { CodeHostError, messageOf, statusOf } from "./code-host-error.ts";
import { patiently } from "./patience.ts";

/**
 * Moves the base to the last tested commit, all steps at once. Git refuses everything but a fast forward, and the tip is
 * read just before, so that commits which somebody took away are not brought back. A tip that is our target already was
 * moved there by an earlier try. `not_possible`: the rules of the branch want pull requests merged one by one.
 */
export async function fastForward(
  octokit: Octokit,
  at: Repository,
  plan: MergePlan,
): Promise<MergeOutcome | "not_possible"> {
  const target = plan.steps.at(-1)?.commitSha;
  if (target === undefined) return { merged: [], stop: null };
  return patiently(async () => {
    const tip = await requireTip(octokit, at, plan.branch);
    if (tip === target) return allMerged(plan);
    if (tip !== plan.base) return { merged: [], stop: { kind: "base_moved", actual: tip } };
    try {
      await octokit.rest.git.updateRef({ ...at, ref: `heads/${plan.branch}`, sha: target, force: false });
      return allMerged(plan);
    } catch (error) {
      return refusalOf(error);
    }
  });
}

export async function requireTip(octokit: Octokit, at: Repository, branch: string): Promise<string> {
  const tip = await readRef(octokit, at, branch);
  if (tip === null) throw new CodeHostError("not_found", `there is no branch ${branch} any more`);
  return tip;
}

function allMerged(plan: MergePlan): MergeOutcome {
  const merged = plan.steps.map(({ pr, commitSha, treeSha }) => ({
    pr,
    sha: commitSha,
    treeSha,
    proof: "exact" as const,
  }));
  return { merged, stop: null };
}

/** `again` when the refusal may pass by itself: GitHub shows the ref update checks that it has just accepted only after a while. */
function refusalOf(error: unknown): "not_possible" | "again" {
  const status = statusOf(error);
  if (status !== 422 && status !== 403 && status !== 409) throw error;
  const message = messageOf(error);
  if (/rate limit|abuse/i.test(message)) throw error;
  return status === 409 || /status check|expected|fast.forward/i.test(message) ? "again" : "not_possible";
}
