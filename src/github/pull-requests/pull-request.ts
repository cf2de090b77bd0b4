import type { Octokit } from "@octokit/rest";
import { evaluateChecks } from "../../engine/model/checks/required-checks.ts";
import type { Mergeability, PullRequestFacts } from "../../engine/model/entry.ts";
import { ghost } from "../../engine/model/names.ts";
import type { Objection, StackPlace } from "../../engine/reasons/objection.ts";
import type { FailedCheck } from "../../engine/reasons/reason.ts";
import type { ListedPullRequest } from "../../ports/code-host/pull-requests.ts";
import type { ProtectionReader } from "../access/protection.ts";
import { readChecks } from "../checks/read-checks.ts";
import type { StatusApps } from "../checks/statuses.ts";
import { nullIfNotFound, type RepositoryApi } from "../client/repository-api.ts";
import { actorOf } from "./conversation.ts";
import { objectionsByRest } from "./objections-by-rest.ts";
import { readDependencies } from "./read-dependencies.ts";

type PullRequest = Awaited<ReturnType<Octokit["rest"]["pulls"]["get"]>>["data"];

/** A pull request, as it is read alone or in a group. */
export interface ReadPullRequest extends Omit<PullRequestFacts, "blockers" | "mergeability"> {
  /** Whether it merges without a text conflict; null: GitHub is still computing that. */
  readonly mergesCleanly: boolean | null;
  /** GitHub would not let us merge it now, for reasons that it does not name. */
  readonly isBlocked: boolean;
  /** The base requires heads that contain its tip, and this one does not. */
  readonly isBehind: boolean;
}

/** Uses REST, which shows less about reviews. */
export async function readPullRequest(api: RepositoryApi, number: number): Promise<ReadPullRequest | null> {
  const pull = await nullIfNotFound(api.octokit.rest.pulls.get({ ...api.at, pull_number: number }));
  if (!pull) return null;
  return {
    number: pull.number,
    headSha: pull.head.sha,
    headRef: pull.head.ref,
    baseBranch: pull.base.ref,
    title: pull.title,
    author: pull.user?.login ?? ghost,
    url: pull.html_url,
    state: pull.merged ? "merged" : pull.state === "open" ? "open" : "closed",
    // REST version 2026-03-10 omits it, and this code runs when GraphQL does not answer.
    mergedSha: pull.merged ? (pull.merge_commit_sha ?? null) : null,
    updatedAt: Date.parse(pull.updated_at),
    draft: pull.draft ?? false,
    fromFork: pull.head.repo === null || pull.head.repo.id !== pull.base.repo.id,
    mergesCleanly: pull.mergeable,
    isBlocked: pull.mergeable_state === "blocked",
    isBehind: pull.mergeable_state === "behind",
    objections: pull.state === "open" ? await objectionsTo(api, pull) : [],
    ...placeOf(pull),
  };
}

interface RestStack {
  readonly base: { readonly ref: string };
  readonly number?: number;
  readonly position?: number;
  readonly size?: number;
}

/** Octokit's types do not know stacks yet. */
function placeOf(pull: PullRequest & { stack?: RestStack | null }): { stack?: StackPlace } {
  const { stack } = pull;
  if (!stack) return {};
  const { number = 0, position = 1, size = 1, base } = stack;
  return { stack: { stack: number, position, size, baseBranch: base.ref } };
}

async function objectionsTo(api: RepositoryApi, pull: PullRequest): Promise<Objection[]> {
  const { number, html_url: url, body } = pull;
  const described = { number, url, body: body ?? "", baseBranch: pull.base.ref };
  const unmet = await readDependencies(api, described);
  const objections = await objectionsByRest(api, number, pull.base.ref);
  return unmet ? [...objections, unmet] : objections;
}

/**
 * Adds whether a pull request can be merged, and why not. GitHub's state `blocked` is only a reason to look closer: it depends on
 * who asks, and can have reasons outside of the pull request. Only named reasons count: conflicts, reviews, and required checks.
 */
export async function withBlockers(
  api: RepositoryApi,
  protection: ProtectionReader,
  apps: StatusApps,
  { mergesCleanly, isBlocked, isBehind: _isBehind, ...pull }: ReadPullRequest,
): Promise<PullRequestFacts> {
  const known = mergeabilityOf(pull.state === "open", mergesCleanly);
  if (known === "not_mergeable")
    return { ...pull, mergeability: known, blockers: [`it conflicts with ${pull.baseBranch}`] };
  if (known !== "mergeable" || !isBlocked) return { ...pull, mergeability: known, blockers: [] };
  const { failed, ...unpassed } = await unpassedChecks(api, protection, apps, pull);
  const mergeability = unpassed.blockers.length > 0 ? "not_mergeable" : known;
  return { ...pull, mergeability, ...unpassed, ...(failed.length > 0 ? { failedOnHead: failed } : {}) };
}

export async function listOpenPullRequests(
  { octokit, at }: RepositoryApi,
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
    autoMergeBy: pull.auto_merge ? actorOf(pull.auto_merge.enabled_by) : null,
    updatedAt: Date.parse(pull.updated_at),
  }));
}

/** GitHub computes in the background whether a pull request merges: null means "ask again", never "conflict". */
export function mergeabilityOf(open: boolean, mergesCleanly: boolean | null): Mergeability {
  if (!open) return "unspecified";
  if (mergesCleanly === null) return "in_progress";
  return mergesCleanly ? "mergeable" : "not_mergeable";
}

/** The required checks that have not passed on the head, in words, and those that failed. */
async function unpassedChecks(
  api: RepositoryApi,
  protection: ProtectionReader,
  apps: StatusApps,
  { baseBranch, headSha }: Pick<ReadPullRequest, "baseBranch" | "headSha">,
): Promise<Pick<PullRequestFacts, "blockers"> & { readonly failed: readonly FailedCheck[] }> {
  const required = await protection.requiredChecks(api, baseBranch);
  const { checks: facts } = await readChecks(api, headSha, required, apps);
  const checks = evaluateChecks(required, facts);
  const blockers = [
    ...checks.failed.map(({ name }) => `required check "${name}" failed on its head`),
    ...checks.pending.map((name) => `required check "${name}" is still running on its head`),
    ...checks.missing.map((name) => `required check "${name}" has not reported on its head`),
  ];
  return { blockers, failed: checks.failed };
}
