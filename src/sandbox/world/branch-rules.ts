import type { Account, App } from "./account.ts";
import { hasRole, type Role } from "./permission.ts";
import { type Protection, protectionOf } from "./protection.ts";
import type { PullRequest } from "./pull-request.ts";
import type { MergeMethod, Repository } from "./repository.ts";
import { requiredCheckState, unmetChecksMessage } from "./required-checks.ts";
import { unmetReviewRules } from "./review-rules.ts";

/** Who changes a ref, and with what authority. An App writes with the role `write`. */
export interface Writer {
  account: Account;
  app: App | null;
  role: Role;
}

const NO_MERGE_COMMITS = "This branch must not contain merge commits.";

const isBypassed = (protection: Protection, writer: Writer): boolean =>
  protection.bypass.includes(writer.account.login) ||
  (writer.app !== null && protection.bypass.includes(writer.app.slug)) ||
  (!protection.enforceAdmins && hasRole(writer.role, "admin"));

function bindingProtection(repository: Repository, branch: string, writer: Writer): Protection | null {
  const protection = protectionOf(repository.protections, branch);
  return protection === null || isBypassed(protection, writer) ? null : protection;
}

async function bringsMergeCommit(
  repository: Repository,
  before: string | null,
  after: string,
): Promise<boolean> {
  const commits = await repository.git.graph.range(before, after);
  return commits.some((commit) => commit.parents.length > 1);
}

/**
 * GitHub's reasons to refuse a push, a ref update, or a deletion (`after` null) of a branch. Empty: allowed.
 */
export async function refusalsOfPush(
  repository: Repository,
  branch: string,
  { before, after }: { before: string | null; after: string | null },
  writer: Writer,
): Promise<string[]> {
  if (after === null && branch === repository.defaultBranch) return ["Cannot delete this branch"];
  const protection = bindingProtection(repository, branch, writer);
  if (protection === null) return [];
  if (after === null) return protection.allowDeletions ? [] : ["Cannot delete this branch"];
  const refusals: string[] = [];
  const isForced = before !== null && !(await repository.git.graph.contains(after, before));
  if (isForced && !protection.allowForcePushes) refusals.push("Cannot force-push to this branch");
  if (protection.requiredReviews !== null) refusals.push("Changes must be made through a pull request.");
  const unmet = unmetChecksMessage(protection.requiredChecks, (check) =>
    requiredCheckState(repository, after, check),
  );
  if (unmet !== null) refusals.push(unmet);
  if (protection.linearHistory && (await bringsMergeCommit(repository, before, after))) {
    refusals.push(NO_MERGE_COMMITS);
  }
  return refusals;
}

/**
 * GitHub's reasons to refuse the merge of a pull request. With `strict`, a head that lacks the base tip has
 * all its checks `expected`, however green they are.
 */
export async function refusalsOfMerge(
  repository: Repository,
  pull: PullRequest,
  writer: Writer,
  method: MergeMethod,
): Promise<string[]> {
  const protection = bindingProtection(repository, pull.base.ref, writer);
  if (protection === null) return [];
  const refusals = await unmetRules(repository, pull, protection);
  return protection.linearHistory && method === "merge" ? [...refusals, NO_MERGE_COMMITS] : refusals;
}

/** Whether the base is protected with `strict`, and the head lacks the base's tip. */
export async function isHeldBehind(repository: Repository, pull: PullRequest): Promise<boolean> {
  const protection = protectionOf(repository.protections, pull.base.ref);
  return protection?.strict === true && (await isBehind(repository, pull));
}

/** The rules of the base that the pull request does not meet, whoever asks; `strict` apart. */
export async function unmetRulesBesidesStrict(repository: Repository, pull: PullRequest): Promise<string[]> {
  const protection = protectionOf(repository.protections, pull.base.ref);
  return protection === null ? [] : unmetRules(repository, pull, { ...protection, strict: false });
}

async function unmetRules(
  repository: Repository,
  pull: PullRequest,
  protection: Protection,
): Promise<string[]> {
  const refusals = await unmetReviewRules(pull, protection.reviews);
  const behind = protection.strict && (await isBehind(repository, pull));
  const unmet = unmetChecksMessage(protection.requiredChecks, (check) =>
    behind ? "expected" : requiredCheckState(repository, pull.head.sha, check),
  );
  if (unmet !== null) refusals.push(unmet);
  return refusals;
}

async function isBehind(repository: Repository, pull: PullRequest): Promise<boolean> {
  const tip = repository.branch(pull.base.ref);
  return tip !== null && !(await repository.git.graph.contains(pull.head.sha, tip));
}
