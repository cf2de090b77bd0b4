import type { TestCommitStep } from "../../ports/code-host/merging.ts";
import { BoundedMap } from "../client/bounded-map.ts";
import { CodeHostError, messageOf, statusOf } from "../client/code-host-error.ts";
import type { Repository, RepositoryApi } from "../client/repository-api.ts";
import { branchRefusalOf, changeOwnBranch } from "./branch-refusal.ts";
import { readTree } from "./branches.ts";
import { scratchMessage } from "./commit-message.ts";
import { compareHead } from "./comparisons.ts";
import type { RefUpdater } from "./update-refs.ts";

/** The position at which a scratch branch was left. */
export interface ScratchTip {
  readonly sha: string;
  /**
   * The commit of the stack that the tip corresponds to: it has the same tree and has merged the same heads, so the next head can
   * be merged here. While a head is replayed, the name that `pickedUpTo` returns.
   */
  readonly standsFor: string;
}

/**
 * Names the state in which a head was replayed on `onto`, up to its own commit `commit`, with this tree as the result. The next
 * commit can be merged there.
 */
export function pickedUpTo(onto: string, commit: string, treeSha: string): string {
  return `${onto}..${commit} ${treeSha}`;
}

/** The known facts about a commit that something may be stacked on. */
interface StackedOn {
  readonly treeSha: string;
  /** The scratch commit that only adds `[skip ci]` to it; null if there is none yet. */
  readonly scratchSha: string | null;
}

/** A commit of a head that is replayed on another commit. */
export interface PickedCommit {
  readonly pr: number;
  readonly sha: string;
  readonly parent: string;
  /** The commit that the head is replayed on. */
  readonly onto: string;
  /** The tree after the commits before it have been replayed. */
  readonly treeSha: string;
}

/** The position that a scratch branch needs for a merge. */
interface MergePlace {
  readonly standsFor: string;
  /** Moves the branch there, and returns the commit. */
  readonly put: () => Promise<string>;
  /** Whether the position contains the head already. */
  readonly has: () => Promise<boolean>;
}

const maxRemembered = 1_000;

/**
 * The branches on which heads are merged. Their commits say `[skip ci]`, and no tested commit is ever on them. Otherwise, CI that
 * runs on every branch would start twice for each test.
 */
export class ScratchBranches {
  readonly #refs: RefUpdater;
  /** By repository and branch. This is only a shortcut: the parent of each merge is checked afterwards. */
  readonly #tips = new Map<string, ScratchTip>();
  /** By repository and commit. */
  readonly #stackedOn = new BoundedMap<string, StackedOn>(maxRemembered);

  constructor(refs: RefUpdater) {
    this.#refs = refs;
  }

  /** Forgets the position of a scratch branch that somebody removed. */
  forget(branch: string): void {
    for (const key of this.#tips.keys()) if (key.endsWith(`:${branch}`)) this.#tips.delete(key);
  }

  /** Records the tree of a commit that something may be stacked on. */
  noteTree(at: Repository, sha: string, treeSha: string): void {
    this.#stackedOn.set(keyOf(at, sha), { treeSha, scratchSha: null });
  }

  noteTip(at: Repository, branch: string, tip: ScratchTip): void {
    this.#tips.set(keyOf(at, branch), tip);
  }

  /** Merges a head onto a commit, on a scratch branch. */
  merge(
    api: RepositoryApi,
    branch: string,
    tip: string,
    { pr, headSha }: Pick<TestCommitStep, "pr" | "headSha">,
  ): Promise<{ treeSha: string; sha: string } | "conflict" | "empty"> {
    const message = scratchMessage(`Trial merge of pull request ${pr}`);
    return this.#mergeAt(api, branch, headSha, message, {
      standsFor: tip,
      put: () => this.#putInPlace(api, branch, tip),
      has: () => contains(api, tip, headSha),
    });
  }

  /**
   * Applies one commit to a tree, on a scratch branch. GitHub has no cherry-pick. So this creates a scratch commit with that tree
   * as a child of the commit's parent: when the commit is merged into it, this parent is the merge base.
   */
  async pick(
    api: RepositoryApi,
    branch: string,
    picked: PickedCommit,
  ): Promise<{ treeSha: string; sha: string } | "conflict"> {
    const { pr, sha, parent, onto, treeSha } = picked;
    const message = scratchMessage(`Trial rebase of pull request ${pr}`);
    const merged = await this.#mergeAt(api, branch, sha, message, {
      standsFor: pickedUpTo(onto, parent, treeSha),
      put: async () => {
        const stand = await createScratchCommit(api, parent, treeSha);
        await changeOwnBranch(api, branch, () => this.#refs.force(api, branch, stand, true));
        return stand;
      },
      has: async () => false,
    });
    if (merged === "empty") throw new Error(`${branch} has ${sha}, which does not stand on itself`);
    return merged;
  }

  async #mergeAt(
    api: RepositoryApi,
    branch: string,
    head: string,
    message: string,
    place: MergePlace,
  ): Promise<{ treeSha: string; sha: string } | "conflict" | "empty"> {
    const key = keyOf(api.at, branch);
    for (let attempt = 0; attempt < maxMerges; attempt++) {
      const left = this.#tips.get(key);
      const isWhereWeLeftIt = left?.standsFor === place.standsFor;
      // The position is unknown until the effect of the merge is known: an error can come after the effect.
      this.#tips.delete(key);
      const base = isWhereWeLeftIt ? left.sha : await place.put();
      const merged = await mergeHead(api, branch, head, message);
      if (merged === "empty" && (await place.has())) return merged;
      // A conflict is certain only if we have just moved the branch: somebody may have moved it after we recorded its position.
      if (merged === "conflict" && !isWhereWeLeftIt) return merged;
      if (merged === "conflict" || merged === "empty" || merged.parents[0] !== base) continue;
      return merged;
    }
    throw new CodeHostError("unavailable", `the scratch branch ${branch} is being moved by somebody else`);
  }

  /** Moves the scratch branch to a commit that only adds `[skip ci]` to the tip, and returns that commit. */
  async #putInPlace(api: RepositoryApi, branch: string, tip: string): Promise<string> {
    const key = keyOf(api.at, tip);
    const known = this.#stackedOn.get(key);
    // If the next lines fail, the commit is created again next time: GitHub may have dropped a commit that is on no branch.
    this.#stackedOn.delete(key);
    const treeSha = known?.treeSha ?? (await readTree(api, tip));
    const scratchSha = known?.scratchSha ?? (await createScratchCommit(api, tip, treeSha));
    await changeOwnBranch(api, branch, () => this.#refs.force(api, branch, scratchSha, true));
    this.#stackedOn.set(key, { treeSha, scratchSha });
    return scratchSha;
  }
}

/**
 * The maximum number of attempts to merge one head: on the branch as it is, on the branch moved to its position, and once more if it was
 * moved in the meantime.
 */
const maxMerges = 3;

const keyOf = ({ owner, repo }: Repository, name: string): string => `${owner}/${repo}:${name}`;

async function contains(api: RepositoryApi, tip: string, head: string): Promise<boolean> {
  return (await compareHead(api, tip, head)).aheadBy === 0;
}

async function createScratchCommit(
  { octokit, at }: RepositoryApi,
  parent: string,
  tree: string,
): Promise<string> {
  const message = scratchMessage(`Trial merges on ${parent.slice(0, 7)}`);
  const { data } = await octokit.rest.git.createCommit({ ...at, message, tree, parents: [parent] });
  return data.sha;
}

async function mergeHead({ octokit, at }: RepositoryApi, base: string, head: string, commit_message: string) {
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
    const message = messageOf(error).replace(/\s+/g, " ").trim();
    // GitHub also answers 409 for a missing permission, for a rule, and while it changes the branch.
    if (statusOf(error) !== 409 || branchRefusalOf(error) || /not authorized/i.test(message)) throw error;
    if (/^merge conflict\b/i.test(message)) return "conflict";
    if (/in progress|modified|changed|again|retry/i.test(message))
      throw new CodeHostError("busy", message, null, error);
    throw new CodeHostError("invalid", message, null, error, "OTHER");
  }
}
