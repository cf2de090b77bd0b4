import type { Octokit } from "@octokit/rest";
import type { MergeOutcome, MergeStep } from "../engine/merge-attempt.ts";
import type { MergePlan } from "../ports/code-host.ts";
import { type Repository, readRef } from "./branches.ts";
import { CodeHostError, messageOf, statusOf } from "./code-host-error.ts";
import { patiently } from "./patience.ts";
import type { RefUpdater } from "./update-refs.ts";

/**
 * Moves the base to the last tested commit, all steps at once, if it still is where the tests stood. The heads are read just
 * before: a push that nobody has told us of ends the attempt before its pull request. `not_possible`: the rules of the branch
 * want pull requests merged one by one.
 */
export async function fastForward(
  octokit: Octokit,
  at: Repository,
  refs: RefUpdater,
  plan: MergePlan,
): Promise<MergeOutcome | "not_possible"> {
  const steps = await unpushed(octokit, at, plan.steps);
  const target = steps.at(-1)?.commitSha;
  const swap = { branch: plan.branch, from: plan.base, to: target ?? null };
  if (target !== undefined && (await refs.update(octokit, at, [swap])))
    return merged(steps, steps.length < plan.steps.length);
  return fastForwardByRest(octokit, at, plan);
}

/**
 * Finds out why the swap was refused, or does it where there is none. Git refuses everything but a fast forward, and the tip
 * is read just before, so that commits which somebody took away are not brought back. A tip that is our target already was
 * moved there by an earlier try.
 */
async function fastForwardByRest(
  octokit: Octokit,
  at: Repository,
  plan: MergePlan,
): Promise<MergeOutcome | "not_possible"> {
  return patiently(async () => {
    const tip = await requireTip(octokit, at, plan.branch);
    const done = plan.steps.findIndex((step) => step.commitSha === tip);
    if (done >= 0) return merged(plan.steps.slice(0, done + 1), done + 1 < plan.steps.length);
    if (tip !== plan.base) return { merged: [], stop: { kind: "base_moved", actual: tip } };
    const steps = await unpushed(octokit, at, plan.steps);
    const target = steps.at(-1)?.commitSha;
    if (target === undefined) return merged([], true);
    try {
      await octokit.rest.git.updateRef({ ...at, ref: `heads/${plan.branch}`, sha: target, force: false });
      return merged(steps, steps.length < plan.steps.length);
    } catch (error) {
      return refusalOf(error);
    }
  });
}

/** The steps up to the first whose head is no longer the one that was tested. */
async function unpushed(octokit: Octokit, at: Repository, steps: readonly MergeStep[]): Promise<MergeStep[]> {
  const heads = await Promise.all(
    steps.map(({ pr }) => octokit.rest.git.getRef({ ...at, ref: `pull/${pr}/head` })),
  );
  const pushed = steps.findIndex((step, index) => heads[index]?.data.object.sha !== step.headSha);
  return steps.slice(0, pushed < 0 ? steps.length : pushed);
}

export async function requireTip(octokit: Octokit, at: Repository, branch: string): Promise<string> {
  const tip = await readRef(octokit, at, branch);
  if (tip === null) throw new CodeHostError("not_found", `there is no branch ${branch} any more`);
  return tip;
}

function merged(steps: readonly MergeStep[], pushedNext: boolean): MergeOutcome {
  return {
    merged: steps.map(({ pr, commitSha, treeSha }) => ({ pr, sha: commitSha, treeSha, proof: "exact" })),
    stop: pushedNext ? { kind: "head_changed" } : null,
  };
}

/** `again` when the refusal may pass by itself: GitHub shows the ref update checks that it has just accepted only after a while. */
function refusalOf(error: unknown): "not_possible" | "again" {
  const status = statusOf(error);
  if (status !== 422 && status !== 403 && status !== 409) throw error;
  const message = messageOf(error);
  if (/rate limit|abuse/i.test(message)) throw error;
  return status === 409 || /status check|expected|fast.forward/i.test(message) ? "again" : "not_possible";
}
