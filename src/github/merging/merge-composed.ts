import type { MergeOutcome } from "../../engine/model/merge-attempt.ts";
import { scratchName } from "../../engine/model/test-run.ts";
import type { MergeGate, MergePlan } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import type { HeadStacker } from "../test-commits/stack-heads.ts";
import { mergeByApi } from "./merge-by-api.ts";

/**
 * Merges pull requests that were tested without other merges that came in between. First computes their trees on the present base.
 * Then GitHub merges, and its trees must be the computed ones.
 */
export async function mergeComposed(
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
