import type { Octokit } from "@octokit/rest";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { DemoPullRequest } from "../demo/scenario.ts";
import type { HistoryCommit, LocalRepository } from "../local-repository.ts";

export interface Ended {
  readonly number: number;
  readonly plan: DemoPullRequest;
  /** Whether it has not ended. */
  readonly live: boolean;
  readonly state: string;
  readonly reason: string;
  /** The head that was queued. */
  readonly headSha: string;
  readonly changedAt: number;
  readonly withdrawnAt: number | null;
  readonly proof: string | null;
}

interface BaseVerdict {
  readonly checked: number;
  readonly red: readonly string[];
  /** All trees that the base has had. */
  readonly trees: ReadonlySet<string>;
}

/** Judges every commit that the base has ever had by the truth about its tree. */
export async function judgeBase(
  sandbox: Sandbox,
  repository: string,
  commits: readonly { sha: string; treeSha: string }[],
): Promise<BaseVerdict> {
  const red: string[] = [];
  for (const { sha } of commits) {
    const { green } = await sandbox.ci.verdictOf(repository, sha);
    if (!green) red.push(sha);
  }
  return { checked: commits.length, red, trees: new Set(commits.map(({ treeSha }) => treeSha)) };
}

/**
 * Whether CI found the merged tree green. A member of a batch, or a predecessor of a run that passed, is also proven by a green tree of the
 * base at or after its merge.
 */
export function isProven({ number, proof }: Ended, base: BaseHistory, green: ReadonlySet<string>): boolean {
  const own = base.treeAfter(number);
  if (own === null || proof === null) return false;
  // The tree was computed, not tested. It is judged as a commit of the base.
  if (proof === "composed") return true;
  const contained = proof === "batch" || proof === "successor";
  const since = base.commits.slice(base.commits.findIndex(({ treeSha }) => treeSha === own));
  return green.has(own) || (contained && since.some(({ treeSha }) => green.has(treeSha)));
}

/**
 * Returns the outcomes that differ from the truth.
 * @param graceMs for how long a pull request may still merge after its author withdrew it
 */
export function judgeEnds(ended: readonly Ended[], graceMs = 0): string[] {
  const faults = ended.flatMap(({ number, plan, state, reason, changedAt, withdrawnAt }) => {
    const { truth } = plan;
    if (truth.ends === "one_of" || truth.ends === state) return [];
    const wasFaster = state === "merged" && withdrawnAt !== null && changedAt < withdrawnAt + graceMs;
    if (truth.ends === "cancelled" && wasFaster) return [];
    return [`#${number} "${plan.title}" ended ${state} (${reason}), but ${truth.because}`];
  });
  return [...faults, ...judgeGroups(ended)];
}

function judgeGroups(ended: readonly Ended[]): string[] {
  const groups = Map.groupBy(
    ended.filter(({ plan }) => plan.truth.ends === "one_of"),
    ({ plan }) => (plan.truth.ends === "one_of" ? plan.truth.group : ""),
  );
  return [...groups].flatMap(([group, members]) => {
    const merged = members.filter(({ state }) => state === "merged");
    if (merged.length === 1) return [];
    const states = members.map(({ number, state }) => `#${number} ${state}`).join(", ");
    return [`of "${group}" exactly one must merge, but: ${states}`];
  });
}

/** Every tip that the base branch has had, oldest first, and the commit that each merged pull request produced. */
interface BaseHistory {
  readonly commits: readonly HistoryCommit[];
  /** Returns the tree of the base after a pull request was merged; null when no commit of the base is its merge. */
  treeAfter(pr: number): string | null;
}

/** Reads the base branch with plain git. Asks the code host only which commit belongs to which pull request. */
export async function readBaseHistory(
  local: LocalRepository,
  octokit: Octokit,
  repository: { owner: string; name: string },
  branch: string,
): Promise<BaseHistory> {
  const all = await local.history(branch);
  const pulls = await octokit.paginate(octokit.rest.pulls.list, {
    owner: repository.owner,
    repo: repository.name,
    state: "closed",
    per_page: 100,
  });
  const merges = new Set(pulls.map(({ merge_commit_sha }) => merge_commit_sha));
  // A rebase moves the branch over all commits of a pull request at once. Only the last one was its tip.
  const isRebased = ({ committer, parents }: HistoryCommit) =>
    committer.endsWith("[bot]") && parents.length === 1;
  const commits = all.filter((commit) => !isRebased(commit) || merges.has(commit.sha));
  return {
    commits,
    treeAfter(pr) {
      const pull = pulls.find(({ number }) => number === pr);
      if (!pull?.merged_at) return null;
      // A merge commit has the pull request's head as its second parent. For a squash, the code host names the commit.
      const own = commits.find(
        ({ sha, parents }) => parents[1] === pull.head.sha || sha === pull.merge_commit_sha,
      );
      return own?.treeSha ?? null;
    },
  };
}
