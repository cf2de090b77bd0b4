import type { MergeAttempt, MergedStep, MergeStep } from "../../engine/model/merge-attempt.ts";
import type { TestCommit, TestRun } from "../../engine/model/test-run.ts";

/** 64 bits, in two halves. */
interface Digest {
  readonly low: number;
  readonly high: number;
}

const emptyTree: Digest = { low: 0, high: 0 };

/** A repository that consists of names only. The name of a tree is derived from the set of pull requests that it contains. */
export class Repository {
  #tip = shaOf({ low: 1, high: 1 });
  #size = 0;
  /** The base's tips, with the number of merges and the tree of each. */
  readonly #tips = new Map<string, { readonly size: number; readonly tree: Digest }>([
    [this.#tip, { size: 0, tree: emptyTree }],
  ]);
  readonly #parents = new Map<string, string>();

  get tip(): string {
    return this.#tip;
  }

  get tree(): string {
    return shaOf(this.#at(this.#tip).tree);
  }

  /** Number of merges in the base at that tip. */
  sizeAt(tip: string): number {
    return this.#at(tip).size;
  }

  /** Stacks the run's pull requests on its base. */
  build(
    run: Pick<TestRun, "base" | "ahead" | "members" | "ofBase">,
    headOf: (pr: number) => string,
  ): { readonly parentSha: string; readonly commits: readonly TestCommit[] } {
    let { tree } = this.#at(run.base);
    let commit = digestOf(run.base);
    for (const pr of run.ahead) {
      tree = withPullRequest(tree, pr);
      commit = childOf(commit, pr, "tested");
    }
    const parentSha = shaOf(commit);
    const commits = run.members.map((pr) => {
      if (!run.ofBase) tree = withPullRequest(tree, pr);
      const parent = shaOf(commit);
      commit = childOf(commit, pr, "tested");
      const commitSha = shaOf(commit);
      this.#parents.set(commitSha, parent);
      return { pr, headSha: headOf(pr), treeSha: shaOf(tree), commitSha };
    });
    return { parentSha, commits };
  }

  /** Merges a step onto the tip. Uses the tested commit if its parent is the tip, otherwise creates a new commit. */
  merge({ pr, commitSha }: MergeStep, { method, composed }: MergeAttempt): MergedStep {
    const isExact = method === "merge_commit" && this.#parents.get(commitSha) === this.#tip;
    const tree = withPullRequest(this.#at(this.#tip).tree, pr);
    const sha = isExact ? commitSha : shaOf(childOf(digestOf(this.#tip), pr, "merged"));
    this.#size++;
    this.#tips.set(sha, { size: this.#size, tree });
    this.#tip = sha;
    const proof = composed ? "composed" : isExact ? "exact" : "same_tree";
    return { pr, sha, treeSha: shaOf(tree), proof };
  }

  /** Returns the tree that results from merging these into the first base, one by one. */
  static treeOf(prs: Iterable<number>): string {
    let tree = emptyTree;
    for (const pr of prs) tree = withPullRequest(tree, pr);
    return shaOf(tree);
  }

  #at(tip: string): { readonly size: number; readonly tree: Digest } {
    const found = this.#tips.get(tip);
    if (!found) throw new Error(`the base never was at ${tip}`);
    return found;
  }
}

/** Merges without conflicts give the same tree in any order, so the name ignores the order. */
function withPullRequest({ low, high }: Digest, pr: number): Digest {
  return { low: low ^ scrambled(pr), high: high ^ scrambled(~pr) };
}

function childOf({ low, high }: Digest, pr: number, kind: "tested" | "merged"): Digest {
  const salt = kind === "tested" ? 0x51ed270b : 0x2545f491;
  return {
    low: scrambled(low ^ Math.imul(pr, 0x9e3779b1) ^ salt),
    high: scrambled(high ^ Math.imul(pr, 0x85ebca77) ^ salt),
  };
}

function digestOf(sha: string): Digest {
  return { low: Number.parseInt(sha.slice(0, 8), 16), high: Number.parseInt(sha.slice(8, 16), 16) };
}

function shaOf({ low, high }: Digest): string {
  const hex = (half: number) => (half >>> 0).toString(16).padStart(8, "0");
  return `${hex(low)}${hex(high)}`.padEnd(40, "0");
}

/** A permutation of the 32-bit numbers (the finalizer of MurmurHash3). */
function scrambled(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
