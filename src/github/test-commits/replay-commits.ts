import type { RebaseObstacle } from "../../engine/reasons/refusal-cause.ts";
import type { TestCommitStep } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { pickedUpTo, type ScratchBranches } from "./scratch-branches.ts";

/** A commit of a head, with its tree after the rebase. */
export interface ReplayedCommit {
  readonly commit: HeadCommit;
  readonly treeSha: string;
}

export type Replay =
  | { readonly kind: "replayed"; readonly commits: readonly ReplayedCommit[] }
  | { readonly kind: "conflict" }
  | { readonly kind: "empty" }
  | { readonly kind: "not_rebaseable"; readonly why: RebaseObstacle };

/** The place where heads are replayed. */
export interface ReplayPlace extends RepositoryApi {
  readonly scratch: ScratchBranches;
  /** The scratch branch. */
  readonly branch: string;
  /** Takes a step only once in a build, however often the build is tried. */
  readonly once: <T>(step: readonly string[], take: () => Promise<T>) => Promise<T>;
}

/**
 * Computes the result of GitHub's rebase of a head onto a commit, as `git rebase` does: merges are left out, and so are commits
 * that become empty. Like GitHub, it refuses a rebase whose result differs from that of a merge.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#rebase-and-merge-your-commits
 */
export async function replayCommits(place: ReplayPlace, tip: string, step: TestCommitStep): Promise<Replay> {
  const range = await readCommitRange(place, tip, step.headSha);
  if (range.count === 0) return { kind: "empty" };
  const merged = await mergedTree(place, range, step);
  if (merged === "conflict" || merged === "empty") return { kind: merged };
  if (merged === range.from.treeSha) return { kind: "empty" };
  if (range.count > maxRebasedCommits) return { kind: "not_rebaseable", why: "commits" };
  const commits = await replay(place, range, step, merged);
  if (commits === "conflict") return { kind: "not_rebaseable", why: "conflict" };
  if (commits.at(-1)?.treeSha !== merged) return { kind: "not_rebaseable", why: "result" };
  return { kind: "replayed", commits };
}

/** Whether the commits form a single chain. Then only its first commit has a parent that the tip contains. */
function isLinear({ count, commits }: CommitRange): boolean {
  return count === commits.length && commits.every(({ parents }) => parents.length === 1);
}

/** The tree that merging the head makes. */
async function mergedTree(
  place: ReplayPlace,
  range: CommitRange,
  step: TestCommitStep,
): Promise<string | "conflict" | "empty"> {
  const last = range.commits.at(-1);
  const hasOurs = range.mergeBase.treeSha === range.from.treeSha;
  if (last?.sha === step.headSha && hasOurs && isLinear(range)) return last.treeSha;
  return place.once(["merge", range.from.sha, step.headSha], async () => {
    const merged = await place.scratch.merge(place, place.branch, range.from.sha, step);
    return typeof merged === "string" ? merged : merged.treeSha;
  });
}

async function replay(
  place: ReplayPlace,
  range: CommitRange,
  step: TestCommitStep,
  merged: string,
): Promise<ReplayedCommit[] | "conflict"> {
  const linear = isLinear(range);
  const [only] = range.commits;
  if (linear && only && range.commits.length === 1) return [{ commit: only, treeSha: merged }];
  const trees = new Map([range.mergeBase, ...range.commits].map(({ sha, treeSha }) => [sha, treeSha]));
  const replayed: ReplayedCommit[] = [];
  let tree = range.from.treeSha;
  for (const [index, commit] of range.commits.entries()) {
    const [parent, another] = commit.parents;
    if (parent === undefined || another !== undefined) continue;
    const isFirstOfAll = linear && index === 0;
    const next =
      trees.get(parent) === tree
        ? commit.treeSha
        : await place.once(["pick", range.from.sha, commit.sha, tree], () =>
            pickedTree(place, range, step, { commit, parent, tree, isFirstOfAll }),
          );
    if (next === "conflict") return next;
    if (next !== tree) replayed.push({ commit, treeSha: next });
    tree = next;
  }
  return replayed;
}

interface Pick {
  readonly commit: HeadCommit;
  readonly parent: string;
  /** The tree that the commit is applied to. */
  readonly tree: string;
  readonly isFirstOfAll: boolean;
}

async function pickedTree(
  place: ReplayPlace,
  { from }: CommitRange,
  { pr }: TestCommitStep,
  { commit, parent, tree, isFirstOfAll }: Pick,
): Promise<string> {
  const { at, scratch, branch } = place;
  // The parent of the first commit is the merge base, so a merge onto the tip applies only that commit.
  const picked = isFirstOfAll
    ? await scratch.merge(place, branch, from.sha, { pr, headSha: commit.sha })
    : await scratch.pick(place, branch, { onto: from.sha, treeSha: tree, pr, sha: commit.sha, parent });
  if (typeof picked === "string") return "conflict";
  const { sha, treeSha } = picked;
  scratch.noteTip(at, branch, { sha, standsFor: pickedUpTo(from.sha, commit.sha, treeSha) });
  return treeSha;
}

/**
 * The maximum number of commits that GitHub rebases:
 * https://docs.github.com/en/repositories/creating-and-managing-repositories/repository-limits#rebase-limits
 */
export const maxRebasedCommits = 100;

export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
  readonly date?: string;
}

/** A commit of a pull request's head. */
export interface HeadCommit {
  readonly sha: string;
  readonly treeSha: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** null: GitHub names no author that a new commit may have. */
  readonly author: CommitAuthor | null;
}

/** The commits that a head has and another commit lacks. */
export interface CommitRange {
  readonly from: { readonly sha: string; readonly treeSha: string };
  readonly mergeBase: { readonly sha: string; readonly treeSha: string };
  /** The total number of commits. */
  readonly count: number;
  /** The oldest first; at most `maxRebasedCommits`. */
  readonly commits: readonly HeadCommit[];
}

export async function readCommitRange(
  { octokit, at }: RepositoryApi,
  from: string,
  head: string,
): Promise<CommitRange> {
  const basehead = `${from}...${head}`;
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
    ...at,
    basehead,
    per_page: maxRebasedCommits,
  });
  const { base_commit: base, merge_base_commit: mergeBase } = data;
  return {
    from: { sha: base.sha, treeSha: base.commit.tree.sha },
    mergeBase: { sha: mergeBase.sha, treeSha: mergeBase.commit.tree.sha },
    count: data.ahead_by,
    commits: data.commits.map(({ sha, parents, commit }) => ({
      sha,
      treeSha: commit.tree.sha,
      parents: parents.map((parent) => parent.sha),
      message: commit.message,
      author: authorOf(commit.author),
    })),
  };
}

type AnsweredAuthor = { name?: string | undefined; email?: string | undefined; date?: string | undefined };

function authorOf(author: AnsweredAuthor | null): CommitAuthor | null {
  if (!author?.name || !author.email) return null;
  const { name, email, date } = author;
  return date === undefined ? { name, email } : { name, email, date };
}
