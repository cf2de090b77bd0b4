import type { Octokit } from "@octokit/rest";
import type { Mergeability } from "../engine/entry.ts";
import type { PullRequestFacts } from "../engine/input.ts";
import { evaluateChecks } from "../engine/required-checks.ts";
import type { ListedPullRequest } from "../ports/code-host.ts";
import type { Repository } from "./branches.ts";
import { readChecks } from "./checks.ts";
import { statusOf } from "./code-host-error.ts";
import type { ProtectionReader } from "./protection.ts";

type PullRequest = Awaited<ReturnType<Octokit["rest"]["pulls"]["get"]>>["data"];

export async function readPullRequest(
  octokit: Octokit,
  at: Repository,
  protection: ProtectionReader,
  number: number,
): Promise<PullRequestFacts | null> {
  const pull = await getPull(octokit, at, number);
  if (!pull) return null;
  const mergeability = mergeabilityOf(pull);
  return {
    number: pull.number,
    headSha: pull.head.sha,
    headRef: pull.head.ref,
    baseBranch: pull.base.ref,
    title: pull.title,
    author: pull.user.login,
    url: pull.html_url,
    state: pull.merged ? "merged" : pull.state === "open" ? "open" : "closed",
    mergedSha: pull.merged ? pull.merge_commit_sha : null,
    draft: pull.draft ?? false,
    fromFork: pull.head.repo === null || pull.head.repo.id !== pull.base.repo.id,
    mergeability,
    blockers: mergeability === "not_mergeable" ? await blockersOf(octokit, at, protection, pull) : [],
  };
}

export async function listOpenPullRequests(
  octokit: Octokit,
  at: Repository,
  base: string,
): Promise<ListedPullRequest[]> {
  const pulls = await octokit.paginate(octokit.rest.pulls.list, {
    ...at,
    state: "open",
    base,
    per_page: 100,
  });
  return pulls.map((pull) => ({
    number: pull.number,
    headSha: pull.head.sha,
    baseBranch: pull.base.ref,
    draft: pull.draft ?? false,
    labels: pull.labels.map((label) => label.name),
    updatedAt: Date.parse(pull.updated_at),
  }));
}

async function getPull(octokit: Octokit, at: Repository, pull_number: number): Promise<PullRequest | null> {
  try {
    return (await octokit.rest.pulls.get({ ...at, pull_number })).data;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

/** GitHub computes `mergeable` in the background: null means "ask again", never "conflict". */
function mergeabilityOf(pull: PullRequest): Mergeability {
  if (pull.merged || pull.state !== "open") return "unspecified";
  if (pull.mergeable === null) return "in_progress";
  return pull.mergeable && pull.mergeable_state !== "blocked" ? "mergeable" : "not_mergeable";
}

/** Why it is not mergeable, in words: a conflict, the checks of its head, or whatever else the rules demand. */
async function blockersOf(
  octokit: Octokit,
  at: Repository,
  protection: ProtectionReader,
  pull: PullRequest,
): Promise<string[]> {
  if (!pull.mergeable) return [`it conflicts with ${pull.base.ref}`];
  const required = await protection.requiredChecks(octokit, at, pull.base.ref);
  const checks = evaluateChecks(required, await readChecks(octokit, at, pull.head.sha, required));
  const blockers = [
    ...checks.failed.map(({ name }) => `required check "${name}" failed on its head`),
    ...checks.pending.map((name) => `required check "${name}" is still running on its head`),
    ...checks.missing.map((name) => `required check "${name}" has not reported on its head`),
  ];
  return blockers.length > 0 ? blockers : ["the branch's rules demand more, such as a review"];
}
