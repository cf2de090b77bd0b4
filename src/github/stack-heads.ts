import type { Octokit } from "@octokit/rest";
import type { MergeMethod } from "../engine/settings.ts";
import type { TestCommit } from "../engine/test-run.ts";
import type { TestCommitResult, TestCommitStep } from "../ports/code-host.ts";
import type { Repository } from "./branches.ts";
import { CodeHostError, messageOf, statusOf } from "./code-host-error.ts";
import { testCommitMessage } from "./commit-message.ts";
import { compareHead } from "./compare-head.ts";
import type { RefUpdate, RefUpdater } from "./update-refs.ts";

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
 * Stacks heads by REST, without a clone: each is merged on a scratch branch to which no CI listens, and the result is shaped
 * as the merge method will.
 */
export class HeadStacker {
  readonly #scratchPrefix: string;
  readonly #refs: RefUpdater;
  /** Where each scratch branch was left. Only a shortcut: what a merge stands on is checked afterwards. */
  readonly #scratchTips = new Map<string, string>();

  constructor(scratchPrefix: string, refs: RefUpdater) {
    this.#scratchPrefix = scratchPrefix;
    this.#refs = refs;
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
      const asMerged = stack.method === "merge_commit" || (stack.treesOnly && step === stack.steps.at(-1));
      tip =
        asMerged && stacked.mergeSha
          ? stacked.mergeSha
          : await shape(octokit, at, stack, step, tip, stacked.treeSha);
      commits.push({ pr: step.pr, headSha: step.headSha, treeSha: stacked.treeSha, commitSha: tip });
    }
    return { kind: "built", commits };
  }

  /** What would put the scratch branch of a use at a commit; null when it is there, or does not exist yet. */
  lag(at: Repository, use: string, sha: string): RefUpdate | null {
    const branch = `${this.#scratchPrefix}${use}`;
    const tip = this.#scratchTips.get(keyOf(at, branch));
    return tip === undefined || tip === sha ? null : { branch, to: sha, force: true };
  }

  /** Notes that the scratch branch of a use was put at a commit. */
  caughtUp(at: Repository, use: string, sha: string): void {
    this.#scratchTips.set(keyOf(at, `${this.#scratchPrefix}${use}`), sha);
  }

  /** Forgets where a scratch branch is, because somebody removed it. */
  forget(branch: string): void {
    for (const key of this.#scratchTips.keys()) if (key.endsWith(`:${branch}`)) this.#scratchTips.delete(key);
  }

  /** Merges a head onto the tip. */
  async #merge(
    octokit: Octokit,
    at: Repository,
    scratch: string,
    tip: string,
    step: TestCommitStep,
    stack: Stack,
  ): Promise<{ treeSha: string; mergeSha: string } | "conflict" | "empty"> {
    const key = keyOf(at, scratch);
    const message = testCommitMessage(stack.method, at.owner, step);
    for (let attempt = 0; attempt < maxMerges; attempt++) {
      const isWhereWeLeftIt = this.#scratchTips.get(key) === tip;
      // Known again once it is known what the merge did: an error can come after the effect.
      this.#scratchTips.delete(key);
      if (!isWhereWeLeftIt) await this.#refs.force(octokit, at, scratch, tip, true);
      const merged = await mergeHead(octokit, at, scratch, step.headSha, message);
      if (merged === "empty" && (await contains(octokit, at, tip, step.headSha))) return merged;
      // Somebody may have moved a branch that we only remembered: it conflicts for sure where we have just put it.
      if (merged === "conflict" && !isWhereWeLeftIt) return merged;
      if (merged === "conflict" || merged === "empty" || merged.parents[0] !== tip) continue;
      this.#scratchTips.set(key, merged.sha);
      return { treeSha: merged.treeSha, mergeSha: merged.sha };
    }
    throw new CodeHostError("unavailable", `the scratch branch ${scratch} is being moved by somebody else`);
  }
}

/** Merges of one head: on the branch as it was left, on the branch put in its place, and once more if it was moved meanwhile. */
const maxMerges = 3;

const keyOf = ({ owner, repo }: Repository, branch: string): string => `${owner}/${repo}:${branch}`;

/** Whether a commit has nothing that the tip lacks. */
async function contains(octokit: Octokit, at: Repository, tip: string, head: string): Promise<boolean> {
  return (await compareHead(octokit, at, tip, head)).aheadBy === 0;
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
