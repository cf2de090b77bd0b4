import type { MergeOutcome, MergeStep } from "../../engine/model/merge-attempt.ts";
import { scratchName } from "../../engine/model/test-run.ts";
import type { MergeGate, MergePlan } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import type { HeadStacker } from "../test-commits/stack-heads.ts";
import { fastForward } from "./fast-forward.ts";
import { mergeByApi } from "./merge-by-api.ts";

/**
 * Merges in the safest way that the repository allows. With merge commits, the base is moved to the tested commit itself. If rules
 * forbid that, and for squash and rebase, GitHub merges each pull request, and the trees are compared. A queue can require the
 * asynchronous API for its merges.
 */
export async function merge(
  api: RepositoryApi,
  stacker: HeadStacker,
  plan: MergePlan,
  gate: MergeGate,
): Promise<MergeOutcome> {
  const outcome = await mergeInSafestWay(api, stacker, plan, gate);
  let parentSha = plan.base;
  for (const [index, { sha, treeSha }] of outcome.merged.entries()) {
    const { headSha } = plan.steps[index] as MergeStep;
    stacker.noteMerged({ at: api.at, method: plan.method, parentSha, headSha }, sha, treeSha);
    parentSha = sha;
  }
  return outcome;
}

async function mergeInSafestWay(
  api: RepositoryApi,
  stacker: HeadStacker,
  plan: MergePlan,
  gate: MergeGate,
): Promise<MergeOutcome> {
  // The base is not moved to the head itself: a direct merge has to look like every other merge.
  if (plan.direct) return mergeByApi(api, plan, gate);
  if (plan.composed) return mergeComposed(api, stacker, plan, gate);
  if (plan.by === "async_api") return mergeByApi(api, plan, gate);
  // A commit that is built on another commit than the base's tip is no fast-forward, even if both have the same tree.
  if (plan.method === "merge_commit" && plan.steps[0]?.parentSha === plan.base) {
    const outcome = await fastForward(api, stacker.refs, plan, gate);
    if (outcome !== "not_possible") return outcome;
  }
  return mergeByApi(api, plan, gate);
}

/**
 * Merges pull requests that were tested without other merges that came in between. First computes their trees on the current base. Then
 * GitHub merges, and its trees must be the computed ones.
 */
async function mergeComposed(
  api: RepositoryApi,
  stacker: HeadStacker,
  plan: MergePlan,
  gate: MergeGate,
): Promise<MergeOutcome> {
  const { id: build, branch, method, base, steps, titles } = plan;
  const expected = await stacker.stack(api, {
    build,
    scratch: scratchName(branch, "+merge"),
    method,
    parentSha: base,
    treesOnly: true,
    steps: steps.map(({ pr, headSha }) => ({
      pr,
      headSha,
      headRef: `pull/${pr}`,
      title: titles.get(pr) ?? "",
      treeSha: null,
    })),
  });
  if (expected.kind === "refused") {
    const { pr, ...refusal } = expected;
    return { merged: [], stop: { ...refusal, ...(pr === null ? {} : { pr }) } };
  }
  if (expected.kind !== "built") return { merged: [], stop: { kind: "composition_conflict" } };
  const composed = steps.map((step, index) => ({ ...step, ...expected.commits[index] }));
  const outcome = await mergeByApi(api, { ...plan, steps: composed }, gate);
  return { ...outcome, merged: outcome.merged.map((step) => ({ ...step, proof: "composed" })) };
}
