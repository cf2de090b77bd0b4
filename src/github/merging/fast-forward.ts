import type { MergeOutcome } from "../../engine/model/merge-attempt.ts";
import type { MergeGate, MergePlan } from "../../ports/code-host/merging.ts";
import { CodeHostError, messageOf, NotFoundByReading, statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { readRef } from "../test-commits/branches.ts";
import type { RefUpdater } from "../test-commits/update-refs.ts";
import { makeMergeCall, retryWhileUndecided } from "./merge-call.ts";
import { causeOf } from "./merge-refusal.ts";
import { type Recheck, recheckPullRequests } from "./recheck-pull-requests.ts";

/**
 * Fast-forwards the base to the last tested commit, for all steps at once, if it is still at the base SHA of the tests.
 * `not_possible`: the rules of the branch require that pull requests are merged one by one.
 */
export async function fastForward(
  api: RepositoryApi,
  refs: RefUpdater,
  plan: MergePlan,
  gate: MergeGate,
): Promise<MergeOutcome | "not_possible"> {
  // Reading the base, below, reveals why a swap was refused, and also what an earlier attempt did.
  if (!plan.called) {
    const swapped = await move(api, plan, gate, async (to) => {
      const swap = { branch: plan.branch, from: plan.base, to };
      return (await refs.update(api, [swap])) ? "moved" : "again";
    });
    if (swapped !== "again") return swapped;
  }
  let busy: CodeHostError | null = null;
  const outcome = await retryWhileUndecided(async () => {
    const result = await fastForwardByRest(api, plan, gate);
    busy = result instanceof CodeHostError ? result : null;
    return result instanceof CodeHostError ? "again" : result;
  });
  // A merge by the API would create another commit than the tested one.
  if (outcome === "not_possible" && busy) throw busy;
  return outcome;
}

/**
 * Finds out why the swap was refused, or moves the base if there was no swap. Git refuses everything except a fast-forward. The tip
 * is read right before the move, so that commits that somebody removed are not brought back. If the tip is our target already, an
 * earlier attempt moved it there.
 */
async function fastForwardByRest(
  api: RepositoryApi,
  plan: MergePlan,
  gate: MergeGate,
): Promise<MergeOutcome | "not_possible" | "again" | CodeHostError> {
  const tip = await requireTip(api, plan.branch);
  const done = plan.steps.findIndex((step) => step.commitSha === tip);
  if (done >= 0) return merged(plan, { holding: done + 1, withdrawn: null });
  if (tip !== plan.base) return { merged: [], stop: { kind: "base_moved", actual: tip } };
  if (plan.called) await gate.notDone(0);
  return move(api, plan, gate, async (sha) => {
    try {
      await api.octokit.rest.git.updateRef({ ...api.at, ref: `heads/${plan.branch}`, sha, force: false });
      return "moved";
    } catch (error) {
      return refusalOf(error);
    }
  });
}

/** Moves the base over the steps that are still valid. */
async function move<Refusal extends string | CodeHostError>(
  api: RepositoryApi,
  plan: MergePlan,
  gate: MergeGate,
  write: (target: string) => Promise<"moved" | Refusal>,
): Promise<MergeOutcome | Refusal | "again"> {
  const look = await recheckPullRequests(api, plan.branch, plan.steps);
  const target = plan.steps[look.holding - 1]?.commitSha;
  if (target === undefined) return (await isMovedByUs(api, plan, look)) ? "again" : merged(plan, look);
  if (!(await gate.call(look.holding))) return { merged: [], stop: null };
  const isUndone = async () => (await requireTip(api, plan.branch)) === plan.base;
  const written = await makeMergeCall(gate, 0, () => write(target), isUndone);
  return written === "moved" ? merged(plan, look) : (written as Refusal);
}

/** Whether the call of an earlier attempt moved the base after it was read. The base may still show its earlier tip. */
async function isMovedByUs(
  api: RepositoryApi,
  { branch, steps }: MergePlan,
  { withdrawn }: Recheck,
): Promise<boolean> {
  if (withdrawn?.state !== "merged") return false;
  if (steps.some(({ commitSha }) => commitSha === withdrawn.mergedSha)) return true;
  const tip = await requireTip(api, branch);
  return steps.some(({ commitSha }) => commitSha === tip);
}

export async function requireTip(api: RepositoryApi, branch: string): Promise<string> {
  const tip = await readRef(api, branch);
  if (tip === null) throw new NotFoundByReading(`there is no branch ${branch} any more`);
  return tip;
}

function merged(
  { steps }: MergePlan,
  { holding, withdrawn }: Pick<Recheck, "holding" | "withdrawn">,
): MergeOutcome {
  return {
    merged: steps
      .slice(0, holding)
      .map(({ pr, commitSha, treeSha }) => ({ pr, sha: commitSha, treeSha, proof: "exact" })),
    stop: withdrawn && { kind: "withdrawn", pullRequest: withdrawn },
  };
}

/**
 * `again`: the refusal may be temporary, because a ref update sees checks only some time after GitHub has accepted them. An error: the
 * refusal is certainly temporary.
 */
function refusalOf(error: unknown): "not_possible" | "again" | CodeHostError {
  const status = statusOf(error);
  const message = messageOf(error);
  // GitHub's API also answers 409 for a branch that nobody may change. The merge API then names the rule.
  if (status === 409 && causeOf(message) === "BRANCH_LOCKED") return "not_possible";
  if (status === 409 || status === 423) return new CodeHostError("busy", message, null, error);
  if (status !== 422 && status !== 403) throw error;
  if (/rate limit|abuse/i.test(message)) throw error;
  return /status check|expected|fast.forward/i.test(message) ? "again" : "not_possible";
}
