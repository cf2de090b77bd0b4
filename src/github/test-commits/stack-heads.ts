import type { MergeMethod } from "../../engine/model/settings.ts";
import type { TestCommit } from "../../engine/model/test-run.ts";
import type { TestCommitResult, TestCommitStep } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { retryWhileUndecided } from "../merging/merge-call.ts";
import { headRefusalOf } from "./branch-refusal.ts";
import { muteMessage, testCommitMessage } from "./commit-message.ts";
import { BuildProgress, MergedTrees, type Merging } from "./remembered-builds.ts";
import { type HeadCommit, replayCommits } from "./replay-commits.ts";
import { ScratchBranches } from "./scratch-branches.ts";
import type { RefUpdater } from "./update-refs.ts";

type Merged = { treeSha: string; sha: string } | { treeSha: string; sha: null };
type Refused = Extract<TestCommitResult, { kind: "refused" }>;

type Stacked = Pick<TestCommit, "treeSha" | "commitSha">;
type NotStacked = Exclude<TestCommitResult, { kind: "built" }>;

/** Heads to stack on a commit, each in the form in which it will be merged. */
export interface Stack {
  /** Names the build. A repeated attempt has the same name, and continues where the last one failed. */
  readonly build: string;
  /** Distinguishes the scratch branch: concurrent uses need different ones. */
  readonly scratch: string;
  readonly method: MergeMethod;
  readonly parentSha: string;
  readonly steps: readonly TestCommitStep[];
  /** Whether only the trees are needed. Then the last commit may have any form. */
  readonly treesOnly?: boolean;
}

/**
 * Stacks heads by REST, without a clone. Merges each head on a scratch branch, and creates a commit with the resulting tree in the
 * form that the merge method will create. With `rebase`, does this for each commit of the head.
 */
export class HeadStacker {
  readonly #scratchPrefix: string;
  readonly refs: RefUpdater;
  readonly #scratch: ScratchBranches;
  readonly #trees = new MergedTrees();
  readonly #progress = new BuildProgress();

  constructor(scratchPrefix: string, refs: RefUpdater) {
    this.#scratchPrefix = scratchPrefix;
    this.refs = refs;
    this.#scratch = new ScratchBranches(refs);
  }

  async stack(api: RepositoryApi, stack: Stack): Promise<TestCommitResult> {
    const commits: TestCommit[] = [];
    let tip = stack.parentSha;
    for (const step of stack.steps) {
      const made = ["stack", tip, step.headSha];
      const stacked =
        this.#progress.find<Stacked>(stack.build, made) ?? (await this.#stackOn(api, stack, tip, step));
      if ("kind" in stacked) return stacked;
      this.#progress.note(stack.build, made, stacked);
      tip = stacked.commitSha;
      const { pr, headSha, message } = step;
      // Rebased commits keep their own messages.
      const shown = message && !isReplayed(stack, step) ? { message } : {};
      commits.push({ pr, headSha, ...stacked, ...shown });
    }
    return { kind: "built", commits };
  }

  async #stackOn(
    api: RepositoryApi,
    stack: Stack,
    tip: string,
    step: TestCommitStep,
  ): Promise<Stacked | NotStacked> {
    const branch = `${this.#scratchPrefix}${stack.scratch}`;
    if (isReplayed(stack, step)) {
      const replayed = await this.#replay(api, branch, stack, tip, step);
      if (!("kind" in replayed)) this.#scratch.noteTree(api.at, replayed.commitSha, replayed.treeSha);
      return replayed;
    }
    const merging: Merging = { at: api.at, method: stack.method, parentSha: tip, headSha: step.headSha };
    const merged = await this.#merge(api, branch, merging, step);
    if (typeof merged === "string") return { kind: merged, pr: step.pr };
    if ("kind" in merged) return merged;
    const { treeSha } = merged;
    const isShaped = !stack.treesOnly || merged.sha === null || step !== stack.steps.at(-1);
    const commitSha = isShaped ? await shape(api, stack, step, tip, treeSha) : merged.sha;
    this.#scratch.noteTree(api.at, commitSha, treeSha);
    if (isShaped) this.#trees.note(merging, commitSha, treeSha);
    // A squash has another history: a later head that contains the squashed commits would find another merge base.
    if (merged.sha !== null && stack.method === "merge_commit")
      this.#scratch.noteTip(api.at, branch, { sha: merged.sha, standsFor: commitSha });
    return { treeSha, commitSha };
  }

  async #merge(
    api: RepositoryApi,
    branch: string,
    merging: Merging,
    step: TestCommitStep,
  ): Promise<Refused | Merged | "conflict" | "empty"> {
    const treeSha = step.treeSha ?? this.#trees.find(merging);
    if (treeSha !== null) return { treeSha, sha: null };
    return orRefused(step, () => this.#scratch.merge(api, branch, merging.parentSha, step));
  }

  async #replay(
    api: RepositoryApi,
    branch: string,
    stack: Stack,
    tip: string,
    step: TestCommitStep,
  ): Promise<Stacked | NotStacked> {
    const once = <T>(made: readonly string[], make: () => Promise<T>) =>
      this.#progress.once(stack.build, made, make);
    const place = { ...api, branch, scratch: this.#scratch, once };
    const replay = await orRefused(step, () => replayCommits(place, tip, step));
    if (replay.kind === "refused") return replay;
    if (replay.kind !== "replayed") return { ...replay, pr: step.pr };
    const commits = stack.treesOnly ? replay.commits.slice(-1) : replay.commits;
    const last = { treeSha: "", commitSha: tip };
    for (const { commit, treeSha } of commits) {
      const parent = last.commitSha;
      const rewritten = () => rewrite(api, commit, parent, treeSha);
      last.commitSha = await once(["rewrite", parent, commit.sha, treeSha], rewritten);
      last.treeSha = treeSha;
    }
    return last;
  }

  /** Records a merge by GitHub as if the pull request had been stacked on the commit. */
  noteMerged(merging: Merging, commitSha: string, treeSha: string): void {
    this.#trees.note(merging, commitSha, treeSha);
  }

  /** Forgets the position of a scratch branch that somebody removed. */
  forget(branch: string): void {
    this.#scratch.forget(branch);
  }
}

/** Whether the commits of a head are replayed one by one. If its tree is known, one commit is enough. */
const isReplayed = ({ method }: Stack, { treeSha }: TestCommitStep): boolean =>
  method === "rebase" && treeSha === null;

/** A refusal with an unknown message counts if it lasts for seconds. */
async function orRefused<T extends object | string>(
  step: TestCommitStep,
  stacking: () => Promise<T>,
): Promise<T | Refused> {
  let refused: Refused | null = null;
  const result = await retryWhileUndecided<T | Refused>(async () => {
    try {
      return await stacking();
    } catch (error) {
      const refusal = headRefusalOf(error);
      if (refusal === null) throw error;
      refused = { kind: "refused", pr: step.pr, message: refusal.message, cause: refusal.cause };
      return refusal.cause === "OTHER" ? "again" : refused;
    }
  });
  return result === "not_possible" && refused !== null ? refused : (result as T | Refused);
}

/**
 * Creates a rebased commit, with its original author and another committer, so that the commit is always new. By default, GitHub copies the
 * author and the date to the committer, so the test commit of an up-to-date head would be the head itself. Then cancelled tests would be
 * checks of the pull request, and GitHub would not merge it.
 */
async function rewrite(
  { octokit, at }: RepositoryApi,
  { message, author }: HeadCommit,
  parent: string,
  tree: string,
): Promise<string> {
  const { data } = await octokit.rest.git.createCommit({
    ...at,
    message: muteMessage(message),
    tree,
    parents: [parent],
    ...(author ? { author, committer: { name: "Trainyard", email: author.email } } : {}),
  });
  return data.sha;
}

/** Creates the commit that the merge method will create for a tree. */
async function shape(
  { octokit, at }: RepositoryApi,
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
