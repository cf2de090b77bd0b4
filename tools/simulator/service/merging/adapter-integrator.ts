import type { MergeOutcome } from "../../../../src/engine/model/merge-attempt.ts";
import { toCodeHostError } from "../../../../src/github/client/code-host-error.ts";
import { NodeIds } from "../../../../src/github/client/node-ids.ts";
import { merge } from "../../../../src/github/merging/merge.ts";
import type { HeadStacker, Stack } from "../../../../src/github/test-commits/stack-heads.ts";
import { RefUpdater } from "../../../../src/github/test-commits/update-refs.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import type { MergeGate, MergePlan } from "../../../../src/ports/code-host/merge-plan.ts";
import type { TestCommitResult } from "../../../../src/ports/code-host/test-commit-plan.ts";
import { headOf, shaOf } from "../virtual-heads.ts";
import { type OctokitParts, VirtualOctokit } from "./virtual-octokit.ts";

/** Merges by the service's own adapter for GitHub, whose calls are simulated one by one. */
export async function mergeByAdapter(
  parts: OctokitParts,
  repo: InstalledRepository,
  plan: MergePlan,
  gate: MergeGate,
): Promise<MergeOutcome> {
  const octokit = new VirtualOctokit(parts, repo);
  const at = { owner: repo.owner, repo: repo.name };
  try {
    return await merge(octokit.client, at, stackerOf(parts), new RefUpdater(new NodeIds()), plan, gate);
  } catch (error) {
    throw toCodeHostError(error);
  }
}

/** Stacks heads in one call. The adapter's own stacker makes dozens of them. */
function stackerOf({ model, calls }: OctokitParts): HeadStacker {
  const stack = (_octokit: unknown, _at: unknown, { parentSha, steps }: Stack): Promise<TestCommitResult> =>
    calls.change("stackHeads", () => {
      const heads = new Map(steps.map(({ pr, headSha }) => [pr, headOf(headSha)]));
      const [first, ...more] = steps.map(({ pr }) => pr);
      if (first === undefined) return { kind: "built", commits: [] };
      const run = { id: "scratch", base: parentSha, ahead: [], members: [first, ...more] as const };
      const built = model.build(run, (pr) => heads.get(pr) ?? "");
      if (built.kind !== "built") return built as TestCommitResult;
      return {
        kind: "built",
        commits: built.commits.map((one) => ({ ...one, headSha: shaOf(one.headSha) })),
      };
    });
  return { stack, noteMerged: () => {} } as unknown as HeadStacker;
}
