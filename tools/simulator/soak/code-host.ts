import type { RequiredCheck } from "../../../src/engine/model/checks/required-checks.ts";
import type { PullRequestFacts } from "../../../src/engine/model/entry.ts";
import type { TestCommitOutcome } from "../../../src/engine/model/input.ts";
import type { MergeAttempt, MergedStep, MergeStep } from "../../../src/engine/model/merge-attempt.ts";
import type { TestCommit, TestRun } from "../../../src/engine/model/test-run.ts";
import { readyPullRequest } from "../../../src/replay/engine-run/messages.ts";
import type { Scenario } from "./scenario.ts";

/**
 * The content of a commit, in order of merging: `3.1` is #3 at its head 1, `-2` is the second change of the base from outside.
 */
export type Content = readonly string[];

/** The possible required checks of the branch. The first list applies at the beginning. */
const requirements = [["build", "lint"], ["build"], ["build", "lint", "docs"]] as const;

const main = "main";

/**
 * The code host and the truth about its content. The name of a tree is derived from the set of its content. Every base branch begins
 * with the same commit.
 */
export class CodeHost {
  readonly mergedByHand = new Set<number>();
  readonly #scenario: Scenario;
  readonly #commits = new Map<string, { readonly parent: string | null; readonly content: Content }>();
  readonly #facts = new Map<number, PullRequestFacts>();
  /** The tips of each base branch, oldest first. */
  readonly #tips = new Map<string, string[]>();
  /** The tip that each head was based on, by head; absent = the first tip. */
  readonly #bases = new Map<string, string>();
  readonly #namesApart: boolean;
  #outside = 0;

  /** @param options `namesApart`: equal test commits have different names, as on GitHub; by default they are one commit */
  constructor(scenario: Scenario, { namesApart = false } = {}) {
    this.#scenario = scenario;
    this.#namesApart = namesApart;
    this.#commits.set("base-0", { parent: null, content: [] });
  }

  #required: readonly string[] = requirements[0];

  /** The checks that must pass now. */
  get required(): readonly RequiredCheck[] {
    return this.#required.map((name) => ({ name, appId: null }));
  }

  require(n: number): void {
    this.#required = requirements[n % requirements.length] ?? requirements[0];
  }

  get tip(): string {
    return this.tipOf(main);
  }

  tipOf(branch: string): string {
    return this.#tipsOf(branch).at(-1) ?? "";
  }

  contentOf(sha: string): Content {
    const commit = this.#commits.get(sha);
    if (!commit) throw new Error(`there is no commit ${sha}`);
    return commit.content;
  }

  parentOf(sha: string): string | null {
    return this.#commits.get(sha)?.parent ?? null;
  }

  pullRequest(pr: number): PullRequestFacts {
    return this.#facts.get(pr) ?? readyPullRequest(pr, { headSha: `${pr}.0` });
  }

  change(pr: number, changes: Partial<PullRequestFacts>): void {
    this.#facts.set(pr, { ...this.pullRequest(pr), ...changes });
  }

  /** Pushes a new head, which contains the current base. */
  push(pr: number): void {
    const headSha = `${pr}.${versionOf(this.pullRequest(pr).headSha) + 1}`;
    this.change(pr, { headSha });
    this.#bases.set(headSha, this.tipOf(this.pullRequest(pr).baseBranch));
  }

  /** The content that CI tests for a head: the base of the head, and the head itself. */
  headContent(headSha: string): Content {
    return [...this.contentOf(this.#bases.get(headSha) ?? "base-0"), headSha];
  }

  /** Compares two commits. A head is one commit on the tip that it is based on. */
  compare(base: string, head: string): { aheadBy: number; behindBy: number; treeSha: string } {
    const [ofBase, ofHead] = [this.#historyOf(base), this.#historyOf(head)];
    return {
      aheadBy: [...ofHead].filter((sha) => !ofBase.has(sha)).length,
      behindBy: [...ofBase].filter((sha) => !ofHead.has(sha)).length,
      treeSha: treeOf(this.#commits.get(head)?.content ?? this.headContent(head)),
    };
  }

  /** The last commit that two commits have in common. */
  mergeBase(base: string, head: string): string {
    const ofBase = this.#historyOf(base);
    return [...this.#historyOf(head)].find((sha) => ofBase.has(sha)) ?? "base-0";
  }

  /** Creates a commit with this tree. What the parent contains comes first in its content. */
  create(treeSha: string, parent: string): string {
    const items = treeSha.replace("tree:", "").split(",");
    const kept = this.contentOf(parent).filter((item) => items.includes(item));
    return this.#commit(parent, [...kept, ...items.filter((item) => item !== "" && !kept.includes(item))]);
  }

  /** Merges a head into a commit. */
  mergeInto(tip: string, head: string): string | "conflict" | "empty" {
    const content = this.contentOf(tip);
    if (content.includes(head)) return "empty";
    return this.#conflicts(numberOf(head), content) ? "conflict" : this.#commit(tip, [...content, head]);
  }

  #historyOf(commit: string): ReadonlySet<string> {
    const history = new Set<string>();
    const isHead = !this.#commits.has(commit);
    if (isHead) history.add(commit);
    let sha: string | null = isHead ? (this.#bases.get(commit) ?? "base-0") : commit;
    for (; sha !== null; sha = this.parentOf(sha)) history.add(sha);
    return history;
  }

  moveBase(branch = main): void {
    this.#outside += 1;
    this.#advance(branch, `-${this.#outside}`);
  }

  /** Simulates a force-push of the base to one of its earlier tips. */
  rewind(n: number, branch = main): void {
    const tips = this.#tipsOf(branch);
    tips.push(tips[n % tips.length] ?? this.tipOf(branch));
  }

  mergeByHand(pr: number): void {
    const { headSha, state, baseBranch } = this.pullRequest(pr);
    if (state !== "open") return;
    this.mergedByHand.add(pr);
    this.#advance(baseBranch, headSha);
    this.change(pr, this.#mergedAs(this.tipOf(baseBranch)));
  }

  isGreen(content: Content): boolean {
    const numbers = new Set(content.map(numberOf));
    const { broken, clashes, cures = [] } = this.#scenario;
    const isMended = (pr: number) => cures.some(([cured, by]) => cured === pr && numbers.has(by));
    const fails = (item: string) => broken.includes(numberOf(item)) && versionOf(item) % 2 === 0;
    if (content.some((item) => fails(item) && !isMended(numberOf(item)))) return false;
    return !clashes.some(([a, b]) => numbers.has(a) && numbers.has(b));
  }

  /** Whether the only failures are in tests that are known to be flaky, although they fail for a real reason. */
  isExcused(content: Content): boolean {
    const { excused = [] } = this.#scenario;
    return (
      !this.isGreen(content) && this.isGreen(content.filter((item) => !excused.includes(numberOf(item))))
    );
  }

  /** Builds the test commits of a run. */
  build(
    run: Pick<TestRun, "id" | "base" | "ahead" | "members">,
    headOf: (pr: number) => string,
  ): TestCommitOutcome {
    let parent = run.base;
    const commits: TestCommit[] = [];
    for (const pr of [...run.ahead, ...run.members]) {
      const content = this.contentOf(parent);
      if (content.map(numberOf).includes(pr)) return { kind: "empty", pr };
      if (this.#conflicts(pr, content)) return { kind: "conflict", pr };
      const item = headOf(pr);
      parent = this.#commit(parent, [...content, item]);
      commits.push({ pr, headSha: item, treeSha: treeOf([...content, item]), commitSha: parent });
    }
    const ahead = run.ahead.length;
    return {
      kind: "built",
      branch: `test/${run.id}`,
      parentSha: commits[ahead - 1]?.commitSha ?? run.base,
      commits: commits.slice(ahead),
      required: this.required,
      requiredSource: "repo_provider_branch_protection",
    };
  }

  /** Builds an empty commit on the base. */
  buildBase({ id, base, members: [pr] }: Pick<TestRun, "id" | "base" | "members">): TestCommitOutcome {
    const content = this.contentOf(base);
    const commitSha = this.#commit(base, content);
    return {
      kind: "built",
      branch: `test/${id}`,
      parentSha: base,
      commits: [{ pr, headSha: base, treeSha: treeOf(content), commitSha }],
      required: this.required,
      requiredSource: "repo_provider_branch_protection",
    };
  }

  /** Merges one step onto the tip. Uses the tested commit if its parent is the tip, otherwise creates a new commit. */
  merge(
    { pr, headSha, commitSha }: MergeStep,
    { method, composed }: Pick<MergeAttempt, "method" | "composed">,
    branch = main,
  ): MergedStep {
    const tip = this.tipOf(branch);
    const isExact = method === "merge_commit" && this.#commits.get(commitSha)?.parent === tip;
    const content = [...this.contentOf(tip), headSha];
    if (isExact) this.#tipsOf(branch).push(commitSha);
    else this.#advance(branch, headSha);
    const sha = this.tipOf(branch);
    this.change(pr, this.#mergedAs(sha));
    const proof = composed ? "composed" : isExact ? "exact" : "same_tree";
    return { pr, sha, treeSha: treeOf(content), proof };
  }

  /** The items that the commits after the tip of a branch add, up to the given one; null = that one was not built on the tip. */
  pathTo(sha: string, branch: string): Content | null {
    const tip = this.tipOf(branch);
    const items: string[] = [];
    for (let at = sha; at !== tip; ) {
      items.unshift(this.#commits.get(at)?.content.at(-1) ?? "");
      const parent = this.parentOf(at);
      if (parent === null) return null;
      at = parent;
    }
    return items;
  }

  /** Moves a branch to a commit that was built on its tip. Returns the pull requests that this merges. */
  fastForward(sha: string, branch: string): number[] {
    const items = this.pathTo(sha, branch) ?? [];
    this.#tipsOf(branch).push(sha);
    const prs = items.map(numberOf);
    let mergedSha = sha;
    for (const pr of prs.toReversed()) {
      this.change(pr, this.#mergedAs(mergedSha));
      mergedSha = this.parentOf(mergedSha) ?? "";
    }
    return prs;
  }

  #mergedAs(sha: string) {
    return { state: "merged", mergedSha: sha, mergedTree: treeOf(this.contentOf(sha)) } as const;
  }

  #conflicts(pr: number, content: Content): boolean {
    const numbers = content.map(numberOf);
    return this.#scenario.conflicts.some(
      ([a, b]) => (a === pr && numbers.includes(b)) || (b === pr && numbers.includes(a)),
    );
  }

  #tipsOf(branch: string): string[] {
    const tips = this.#tips.get(branch) ?? ["base-0"];
    this.#tips.set(branch, tips);
    return tips;
  }

  #advance(branch: string, item: string): void {
    const tips = this.#tipsOf(branch);
    const parent = this.tipOf(branch);
    const sha = `${branch === main ? "base" : branch}-${tips.length}`;
    this.#commits.set(sha, { parent, content: [...this.contentOf(parent), item] });
    tips.push(sha);
  }

  #commit(parent: string, content: Content): string {
    const name = `${parent}+${content.at(-1)}`;
    const sha = this.#namesApart && this.#commits.has(name) ? `${name}~${this.#commits.size}` : name;
    this.#commits.set(sha, { parent, content });
    return sha;
  }
}

/** Returns the tree's name. It ignores the order, because merges without conflicts give the same tree in any order. */
export function treeOf(content: Content): string {
  return `tree:${content.toSorted().join(",")}`;
}

/** Returns the pull request of an item of a commit; negative for a change from outside. */
export function numberOf(item: string): number {
  return Number.parseInt(item, 10);
}

function versionOf(item: string): number {
  return Number(item.split(".")[1] ?? 0);
}
