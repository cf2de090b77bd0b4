import { hasRole, type Writer } from "../account.ts";
import { refusalOfWorkflowChange } from "../checks/workflow-files.ts";
import type { PullRequest } from "../pulls/pull-request.ts";
import type { MergeMethod, Repository } from "../repository.ts";
import type { RefRefusal } from "../write-ref.ts";
import { type Protection, protectionOf, requiredCheckState, unmetChecksMessage } from "./protection.ts";
import { unmetReviewRules } from "./review-rules.ts";
import { type BranchChange, violationsOf } from "./rule-violations.ts";
import { bypassModeOf, type Ruleset, rulesetsOn } from "./ruleset.ts";

export type { Writer } from "../account.ts";

const NO_MERGE_COMMITS = "This branch must not contain merge commits.";

const LOCKED = "Cannot change this locked branch";

const UNSIGNED_REBASE =
  "Base branch requires signed commits. Rebase merges cannot be automatically signed by GitHub";

/** GitHub refuses every rebase into such a branch, even if all commits of the pull request are signed. */
function requiresSignatures(repository: Repository, branch: string, writer: Writer): boolean {
  if (bindingProtection(repository, branch, writer)?.signatures) return true;
  const way = writer.via === "async" ? "async" : "merge";
  const binding = rulesetsOn(repository, branch).filter((ruleset) => !isFreed(ruleset, writer, way));
  return binding.some(({ rules }) => rules.some(({ type }) => type === "required_signatures"));
}

const isBypassed = (protection: Protection, writer: Writer): boolean =>
  protection.bypass.includes(writer.account.login) ||
  (writer.app !== null && protection.bypass.includes(writer.app.slug)) ||
  (!protection.enforceAdmins && hasRole(writer.role, "admin"));

function bindingProtection(repository: Repository, branch: string, writer: Writer): Protection | null {
  const protection = protectionOf(repository.protections, branch);
  const isFree = protection === null || (writer.via !== "async" && isBypassed(protection, writer));
  return isFree ? null : protection;
}

function isFreed(ruleset: Ruleset, writer: Writer, way: "merge" | Writer["via"]): boolean {
  switch (bypassModeOf(ruleset, writer)) {
    case "exempt":
      return true;
    case "always":
      return way !== "api" && way !== "async";
    case "pull_request":
      return way === "merge";
    case null:
      return false;
  }
}

async function violationsOfRulesets(
  change: BranchChange,
  isBinding: (ruleset: Ruleset) => boolean,
): Promise<string[]> {
  const rules = rulesetsOn(change.repository, change.branch).filter(isBinding);
  const reasons: string[] = [];
  for (const rule of rules.flatMap((ruleset) => ruleset.rules))
    reasons.push(...(await violationsOf(rule, change)));
  return [...new Set(reasons)];
}

/** Returns why GitHub refuses a push, a ref update, or a deletion (`after` null) of a branch; null = it is allowed. */
export async function refusalOfPush(
  repository: Repository,
  branch: string,
  { before, after }: { before: string | null; after: string | null },
  writer: Writer,
): Promise<RefRefusal | null> {
  if (after !== null && !writer.mayChangeWorkflows) {
    const reason = await refusalOfWorkflowChange(repository, after, null);
    if (reason !== null) return { by: "permission", reasons: [reason] };
  }
  const ofProtection = await refusalsOfProtection(repository, branch, { before, after }, writer);
  if (ofProtection.length > 0) return { by: "protection", reasons: ofProtection };
  const change = { repository, branch, before, after, merging: null, isStrict: true };
  const reasons = await violationsOfRulesets(change, (ruleset) => !isFreed(ruleset, writer, writer.via));
  return reasons.length === 0 ? null : { by: "ruleset", reasons };
}

async function refusalsOfProtection(
  repository: Repository,
  branch: string,
  { before, after }: { before: string | null; after: string | null },
  writer: Writer,
): Promise<string[]> {
  if (after === null && branch === repository.defaultBranch) return ["Cannot delete this branch"];
  const protection = bindingProtection(repository, branch, writer);
  if (protection === null) return [];
  if (after === null) return protection.allowDeletions ? [] : ["Cannot delete this branch"];
  const refusals: string[] = protection.locked ? [LOCKED] : [];
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

async function bringsMergeCommit(
  repository: Repository,
  before: string | null,
  after: string,
): Promise<boolean> {
  const commits = await repository.git.graph.range(before, after);
  return commits.some((commit) => commit.parents.length > 1);
}

/**
 * Returns why branch protection refuses the merge of a pull request. With `strict`, all checks of a head that lacks the base tip
 * count as `expected`, even if they are green.
 */
export async function refusalOfMerge(
  pull: PullRequest,
  writer: Writer,
  method: MergeMethod,
): Promise<RefRefusal | null> {
  const { repository } = pull;
  if (method === "rebase" && requiresSignatures(repository, pull.base.ref, writer))
    return { by: "protection", reasons: [UNSIGNED_REBASE] };
  const protection = bindingProtection(repository, pull.base.ref, writer);
  if (protection === null) return null;
  const unmet = await unmetRules(pull, protection);
  const isForbidden = protection.linearHistory && method === "merge";
  const reasons = isForbidden ? [...unmet, NO_MERGE_COMMITS] : unmet;
  return reasons.length === 0 ? null : { by: "protection", reasons: reasons.slice(0, 1) };
}

/** Returns why rulesets or the App's permissions refuse the commit that a merge would create. */
export async function refusalOfMergedCommit(
  pull: PullRequest,
  writer: Writer,
  merge: { method: MergeMethod; before: string; after: string; isStrict?: boolean },
): Promise<RefRefusal | null> {
  const { repository } = pull;
  const { method, before, after, isStrict = true } = merge;
  if (!writer.mayChangeWorkflows) {
    const reason = await refusalOfWorkflowChange(repository, after, pull);
    if (reason !== null) return { by: "permission", reasons: [reason] };
  }
  const merging = { pull, method };
  const change = { repository, branch: pull.base.ref, before, after, merging, isStrict };
  const way = writer.via === "async" ? "async" : "merge";
  const reasons = await violationsOfRulesets(change, (ruleset) => !isFreed(ruleset, writer, way));
  return reasons.length === 0 ? null : { by: "ruleset", reasons };
}

/** Whether a rule of the base is strict and the head lacks the base tip. */
export async function isHeldBehind(pull: PullRequest): Promise<boolean> {
  const { repository, base } = pull;
  const protection = protectionOf(repository.protections, base.ref);
  const isStrict =
    protection?.strict === true ||
    rulesetsOn(repository, base.ref).some(({ rules }) =>
      rules.some(
        (rule) =>
          rule.type === "required_status_checks" && rule.parameters.strict_required_status_checks_policy,
      ),
    );
  return isStrict && (await isBehind(pull));
}

/**
 * Whether rules of the base other than `strict` block the merge for the viewer. Branch protection applies to all viewers alike.
 *
 * @param merged the commit that a merge would create
 * @param viewer null = a viewer that bypasses no ruleset
 */
export async function isBlocked(pull: PullRequest, merged: string, viewer: Writer | null): Promise<boolean> {
  const { repository } = pull;
  const protection = protectionOf(repository.protections, pull.base.ref);
  if (protection !== null && (await unmetRules(pull, { ...protection, strict: false })).length > 0)
    return true;
  const before = repository.branch(pull.base.ref);
  if (before === null) return false;
  const method = repository.mergeMethods[0] ?? "merge";
  const merge = { method, before, after: merged, isStrict: false };
  return (await refusalOfMergedCommit(pull, viewer ?? stranger(pull), merge)) !== null;
}

const stranger = ({ author }: PullRequest): Writer => ({
  account: { ...author, login: "" },
  app: null,
  role: "read",
  via: "api",
  mayChangeWorkflows: true,
});

async function unmetRules(pull: PullRequest, protection: Protection): Promise<string[]> {
  const { repository } = pull;
  const refusals = await unmetReviewRules(pull, protection.reviews);
  if (protection.locked) refusals.unshift(LOCKED);
  const behind = protection.strict && (await isBehind(pull));
  const unmet = unmetChecksMessage(protection.requiredChecks, (check) =>
    behind ? "expected" : requiredCheckState(repository, pull.head.sha, check),
  );
  if (unmet !== null) refusals.push(unmet);
  return refusals;
}

async function isBehind({ repository, base, head }: PullRequest): Promise<boolean> {
  const tip = repository.branch(base.ref);
  return tip !== null && !(await repository.git.graph.contains(head.sha, tip));
}
