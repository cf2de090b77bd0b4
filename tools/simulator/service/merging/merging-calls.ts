import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { type CodeHost, treeOf } from "../../soak/code-host.ts";
import type { Past } from "../code-host-guards.ts";
import { OctokitCalls, type OctokitCallsParts } from "../octokit/octokit-calls.ts";
import type { VirtualCi } from "../virtual-ci.ts";
import { commitOf } from "../virtual-pull-requests.ts";
import type { MergeEffects } from "./merge-effects.ts";

export interface MergingCallsParts extends OctokitCallsParts {
  readonly model: CodeHost;
  readonly past: Past;
  readonly now: () => number;
  readonly facts: (pr: number) => PullRequestFacts;
  readonly effects: MergeEffects;
}

/** Readings of branches and pull requests, which may be some seconds old. */
export class MergingCalls extends OctokitCalls {
  readonly #parts: MergingCallsParts;
  /** The tips that were read, by the names of their branches. */
  readonly seen = new Map<string, string>();
  /** The pull requests whose last answer completely showed that they have what the rules demand of people. */
  readonly approved = new Set<number>();

  constructor(parts: MergingCallsParts, repo: InstalledRepository) {
    super(parts, repo);
    this.#parts = parts;
  }

  /** The tip of a branch; null = there is no such branch. */
  async readTip(name: string): Promise<string | null> {
    const { past, now, effects, repository, calls } = this.#parts;
    const behindMs = calls.drawLag();
    const sha = await this.read("readTip", () => {
      const current = effects.tipOf(name);
      const base = repository.baseNamed(name);
      return base === null || behindMs === 0 ? current : past.at(base, now() - behindMs, current);
    });
    if (sha !== null) this.seen.set(name, sha);
    return sha;
  }

  /** Reads pull requests as they were at one moment. */
  readPulls(prs: readonly number[]): Promise<readonly PullRequestFacts[]> {
    const { past, now, facts, calls } = this.#parts;
    const behindMs = calls.drawLag();
    const shown = (pr: number) =>
      behindMs === 0 ? facts(pr) : past.at(`pull ${pr}`, now() - behindMs, facts(pr));
    return this.read("readPulls", () => prs.map(shown));
  }

  treeOf(sha: string): string {
    return treeOf(this.#parts.model.contentOf(sha));
  }
}

interface OwnBranchesParts {
  readonly model: CodeHost;
  readonly ci: VirtualCi;
  /** The test branches, by name. */
  readonly branches: Map<string, string>;
}

/** The service's own branches: those that CI tests, and the scratch branches. */
export class OwnBranches {
  static readonly scratchPrefix = "trainyard-temp/";
  readonly #parts: OwnBranchesParts;
  readonly #scratch = new Map<string, string>();

  constructor(parts: OwnBranchesParts) {
    this.#parts = parts;
  }

  /** Null = there is no such branch. */
  tipOf(name: string): string | null {
    return this.#mapOf(name).get(name) ?? null;
  }

  /** Makes a branch point at a commit. CI tests new commits on test branches. */
  set(name: string, sha: string): void {
    const { model, ci } = this.#parts;
    const isNew = this.tipOf(name) !== sha;
    this.#mapOf(name).set(name, sha);
    if (isNew && !this.#isScratch(name)) ci.test(sha, model.contentOf(sha));
  }

  #mapOf(name: string): Map<string, string> {
    return this.#isScratch(name) ? this.#scratch : this.#parts.branches;
  }

  #isScratch(name: string): boolean {
    return name.startsWith(OwnBranches.scratchPrefix);
  }
}

/** A change of a branch, in the form of the mutation `updateRefs`. */
export interface RefUpdate {
  /** With `refs/heads/`. */
  readonly name: string;
  readonly afterOid: string;
  /** Zeros = it must not exist; absent = anything. */
  readonly beforeOid?: string;
}

export const nowhere = "0".repeat(40);

export const branchOf = (ref: string): string => ref.replace(/^(refs\/)?heads\//, "");

/** Changes a branch. Returns the reason of a refusal; null = done. */
export function updateRef(
  { name, beforeOid, afterOid }: RefUpdate,
  effects: MergeEffects,
  own: OwnBranches,
  approved: ReadonlySet<number>,
): string | null {
  const branch = branchOf(name);
  const tip = effects.tipOf(branch);
  const present = tip ?? own.tipOf(branch) ?? nowhere;
  if (beforeOid === nowhere && present !== nowhere) return "Reference already exists";
  if (beforeOid !== undefined && beforeOid !== present) return `${branch} is at another commit`;
  if (tip !== null) return effects.fastForward(branch, afterOid, approved);
  own.set(branch, afterOid);
  return null;
}

const author = { name: "Alice", email: "alice@example.com", date: "2026-01-05T09:00:00Z" };

/**
 * The comparison of a commit with a head, as REST shows it. A head is one commit.
 *
 * @param basehead the two names, with three dots between them
 */
export function comparisonOf(model: CodeHost, basehead: string): object {
  const [base = "", headSha = ""] = basehead.split("...");
  const head = commitOf(headSha);
  const mergeBase = model.mergeBase(base, head);
  const content = model.contentOf(mergeBase);
  const isContained = model.contentOf(base).includes(head);
  const showing = (sha: string, items: readonly string[], parents: readonly object[] = []) => {
    return { sha, parents, commit: { message: sha, author, tree: { sha: treeOf(items) } } };
  };
  return {
    ahead_by: isContained ? 0 : 1,
    behind_by: model.compare(base, head).behindBy,
    base_commit: showing(base, model.contentOf(base)),
    merge_base_commit: showing(mergeBase, content),
    commits: isContained ? [] : [showing(headSha, [...content, head], [{ sha: mergeBase }])],
  };
}

const lastPage = { hasNextPage: false, endCursor: null };

/**
 * A pull request as GraphQL shows it, with all fields that the service asks for.
 *
 * @param dependsOn the pull request that its description names; null = none
 */
export function pullRequestNode(facts: PullRequestFacts, dependsOn: number | null): object {
  const { number, state, draft, updatedAt = 0, mergedSha, mergedTree, objections } = facts;
  const codes = new Set(objections.map(({ code }) => code));
  const isDiscussed = codes.has("CONVERSATIONS_OPEN");
  const isRejected = codes.has("CHANGES_REQUESTED");
  return {
    ...{ id: `PR_${number}`, number, state: state.toUpperCase(), isDraft: draft },
    ...{ title: facts.title, url: facts.url, author: { __typename: "User", login: facts.author } },
    ...{ headRefOid: facts.headSha, headRefName: facts.headRef, baseRefName: facts.baseBranch },
    headRef: { id: `Ref_${number}` },
    updatedAt: new Date(updatedAt).toISOString(),
    isCrossRepository: facts.fromFork,
    body: dependsOn === null ? "" : `Depends-On: #${dependsOn}`,
    mergeCommit: mergedSha === null ? null : { oid: mergedSha, tree: { oid: mergedTree ?? "" } },
    ...{ mergeable: "MERGEABLE", mergeStateStatus: "CLEAN" },
    reviewDecision: isRejected
      ? "CHANGES_REQUESTED"
      : codes.has("REVIEW_REQUIRED")
        ? "REVIEW_REQUIRED"
        : null,
    latestOpinionatedReviews: {
      nodes: isRejected ? [{ state: "CHANGES_REQUESTED", author: { login: "bob" } }] : [],
    },
    reviewThreads: { nodes: isDiscussed ? [{ isResolved: false }] : [], pageInfo: lastPage },
    baseRef: {
      refUpdateRule: { requiresConversationResolution: isDiscussed },
      rules: { nodes: [], pageInfo: lastPage },
    },
    ...{ stack: null, stackEntry: null },
  };
}

/** A pull request as REST shows it. */
export function restPull(facts: PullRequestFacts, dependsOn: number | null, isMergedByHand: boolean): object {
  const { number, state, draft, updatedAt = 0, mergedSha, title, author, url } = facts;
  const merged = state === "merged";
  const repo = { id: 1 };
  return {
    ...{ number, title, user: { login: author }, html_url: url, draft, merged },
    state: state === "open" ? "open" : "closed",
    merged_by: merged ? { type: isMergedByHand ? "User" : "Bot" } : null,
    merge_commit_sha: mergedSha,
    updated_at: new Date(updatedAt).toISOString(),
    head: { sha: facts.headSha, ref: facts.headRef, repo: facts.fromFork ? null : repo },
    base: { ref: facts.baseBranch, repo },
    body: dependsOn === null ? "" : `Depends-On: #${dependsOn}`,
    ...{ mergeable: true, mergeable_state: "clean" },
  };
}
