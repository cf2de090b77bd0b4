import type { Octokit } from "@octokit/rest";
import type { MergeMethod } from "../engine/settings.ts";
import type { TestCommit } from "../engine/test-run.ts";
import type { TestCommitResult, TestCommitStep } from "../ports/code-host.ts";
import { forceBranch, type Repository } from "./branches.ts";
import { CodeHostError, messageOf, statusOf } from "./code-host-error.ts";
import { testCommitMessage } from "./commit-message.ts";

/** Heads to be stacked on a commit, each shaped as it will be merged. */
export interface Stack {
  /** What distinguishes the scratch branch: uses that go on at the same time need different ones. */
  readonly scratch: string;
  readonly method: MergeMethod;
  readonly parentSha: string;
  readonly steps: readonly TestCommitStep[];
}

/**
 * Stacks heads by REST, without a clone: each is merged on a scratch branch to which no CI listens, and the result is shaped
 * as the merge method will.
 */
export class HeadStacker {
  readonly #scratchPrefix: string;
  /** Where each scratch branch was left. Only a shortcut: what a merge stands on is checked afterwards. */
  readonly #scratchTips = new Map<string, string>();

  constructor(scratchPrefix: string) {
    this.#scratchPrefix = scratchPrefix;
  }

  async stack(octokit: Octokit, at: Repository, stack: Stack): Promise<TestCommitResult> {
    const scratch = `${this.#scratchPrefix}${stack.scratch}`;
    const commits: TestCommit[] = [];
    let tip = stack.parentSha;
    for (const step of stack.steps) {
      const stacked =
        step.treeSha === null
          ? await this.#merge(octokit, at, scratch, tip, step, stack)
          : { treeSha: step.treeSha, mergeSha: null };
      if (typeof stacked === "string") return { kind: stacked, pr: step.pr };
      tip = stacked.mergeSha ?? (await shape(octokit, at, stack, step, tip, stacked.treeSha));
      commits.push({ pr: step.pr, headSha: step.headSha, treeSha: stacked.treeSha, commitSha: tip });
    }
    return { kind: "built", commits };
  }

  /** Forgets where a scratch branch is, because somebody removed it. */
  forget(branch: string): void {
    for (const key of this.#scratchTips.keys()) if (key.endsWith(`:${branch}`)) this.#scratchTips.delete(key);
  }

  /** Merges a head onto the tip. `mergeSha` is null when the merge commit has not the shape that is wanted. */
  async #merge(
    octokit: Octokit,
    at: Repository,
    scratch: string,
    tip: string,
    step: TestCommitStep,
    stack: Stack,
  ): Promise<{ treeSha: string; mergeSha: string | null } | "conflict" | "empty"> {
    const key = `${at.owner}/${at.repo}:${scratch}`;
    for (let attempt = 0; attempt < 2; attempt++) {
      if (this.#scratchTips.get(key) !== tip) await forceBranch(octokit, at, scratch, tip, true);
      const message = testCommitMessage(stack.method, at.owner, step);
      const merged = await mergeHead(octokit, at, scratch, step.headSha, message);
      if (merged === "conflict" || merged === "empty") {
        this.#scratchTips.set(key, tip);
        return merged;
      }
      this.#scratchTips.set(key, merged.sha);
      const isShaped = stack.method === "merge_commit";
      if (merged.parents[0] === tip)
        return { treeSha: merged.treeSha, mergeSha: isShaped ? merged.sha : null };
      // The branch was not where we left it: put it there and merge again.
      this.#scratchTips.delete(key);
    }
    throw new CodeHostError("unavailable", `the scratch branch ${scratch} is being moved by somebody else`);
  }
}

async function mergeHead(
  octokit: Octokit,
  at: Repository,
  base: string,
  head: string,
  commit_message: string,
) {
  try {
    const { status, data } = await octokit.rest.repos.merge({ ...at, base, head, commit_message });
    // 204: the branch contains the head already.
    if (Number(status) === 204) return "empty";
    return {
      sha: data.sha,
      treeSha: data.commit.tree.sha,
      parents: data.parents.map((parent) => parent.sha),
    };
  } catch (error) {
    // GitHub answers 409 for a missing permission, too.
    if (statusOf(error) === 409 && !/not authorized/i.test(messageOf(error))) return "conflict";
    throw error;
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
