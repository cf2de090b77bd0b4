import type { Octokit } from "@octokit/rest";
import type { MergeMethod } from "../engine/settings.ts";
import type { TestCommit } from "../engine/test-run.ts";
import type { TestCommitResult, TestCommitStep } from "../ports/code-host.ts";
import { branchRefusalOf } from "./branch-refusal.ts";
import type { Repository } from "./branches.ts";
import { testCommitMessage } from "./commit-message.ts";
import { ScratchBranches } from "./scratch-branches.ts";
import type { RefUpdater } from "./update-refs.ts";

type Merged = { treeSha: string; sha: string } | { treeSha: string; sha: null };
type Refused = Extract<TestCommitResult, { kind: "refused" }>;

/** Heads to be stacked on a commit, each shaped as it will be merged. */
export interface Stack {
  /** What distinguishes the scratch branch: uses that go on at the same time need different ones. */
  readonly scratch: string;
  readonly method: MergeMethod;
  readonly parentSha: string;
  readonly steps: readonly TestCommitStep[];
  /** Whether only the trees are asked for: then the last commit may have any shape. */
  readonly treesOnly?: boolean;
}

/**
 * Stacks heads by REST, without a clone. Each head is merged on a scratch branch, and a commit of the resulting tree is shaped as
 * the merge method will.
 */
export class HeadStacker {
  readonly #scratchPrefix: string;
  readonly #scratch: ScratchBranches;

  constructor(scratchPrefix: string, refs: RefUpdater) {
    this.#scratchPrefix = scratchPrefix;
    this.#scratch = new ScratchBranches(refs);
  }

  async stack(octokit: Octokit, at: Repository, stack: Stack): Promise<TestCommitResult> {
    const branch = `${this.#scratchPrefix}${stack.scratch}`;
    const commits: TestCommit[] = [];
    let tip = stack.parentSha;
    for (const step of stack.steps) {
      const merged = await this.#merge(octokit, at, branch, tip, step);
      if (typeof merged === "string") return { kind: merged, pr: step.pr };
      if ("kind" in merged) return merged;
      const { treeSha } = merged;
      const isShaped = !stack.treesOnly || merged.sha === null || step !== stack.steps.at(-1);
      const commitSha = isShaped ? await shape(octokit, at, stack, step, tip, treeSha) : merged.sha;
      this.#scratch.noteTree(at, commitSha, treeSha);
      // A squash has another history: a head that contains what was squashed would find another merge base.
      if (merged.sha !== null && stack.method === "merge_commit")
        this.#scratch.noteTip(at, branch, { sha: merged.sha, standsFor: commitSha });
      tip = commitSha;
      commits.push({ pr: step.pr, headSha: step.headSha, treeSha, commitSha });
    }
    return { kind: "built", commits };
  }

  async #merge(
    octokit: Octokit,
    at: Repository,
    branch: string,
    tip: string,
    step: TestCommitStep,
  ): Promise<Refused | Merged | "conflict" | "empty"> {
    if (step.treeSha !== null) return { treeSha: step.treeSha, sha: null };
    try {
      return await this.#scratch.merge(octokit, at, branch, tip, step);
    } catch (error) {
      const refusal = branchRefusalOf(error);
      if (refusal === null) throw error;
      return { kind: "refused", pr: step.pr, message: refusal.message, cause: refusal.cause };
    }
  }

  /** Forgets where a scratch branch is, because somebody removed it. */
  forget(branch: string): void {
    this.#scratch.forget(branch);
  }
}

/** Makes the commit that the merge method will make out of a tree. */
async function shape(
  octokit: Octokit,
  at: Repository,
  stack: Stack,
  step: TestCommitStep,
  parent: string,
  tree: string,
): Promise<string> {
  const parents = stack.method === "merge_commit" ? [parent, step.headSha] : [parent];
  const message = testCommitMessage(stack.method, at.owner, step);
  const { data } = await octokit.rest.git.createCommit({ ...at, message, tree, parents });
  return data.sha;
}
