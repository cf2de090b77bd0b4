import { ownCheckName } from "../../engine/model/checks/required-checks.ts";
import { adviseOn } from "../../engine/reasons/refusal-cause.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import type { RuleFact } from "../../ports/code-host/doctor-facts.ts";
import { commitMessagesRestricted } from "./commit-messages.ts";
import { examination } from "./finding.ts";
import { bindingRules, binds, describeRules, mergesOneByOne, pageOf, weigh } from "./rule.ts";

/** Findings about the rules of the branch that the queue merges into. */

const updatesRestricted = examination(
  "UPDATES_RESTRICTED",
  ["rules", "repository"],
  ({ rules, repository }) => {
    const found = bindingRules(rules?.base ?? [], ["update"], "merge");
    if (found.length === 0) return null;
    return {
      ...weigh(found, "merge"),
      title: "A rule does not allow the App to change the branch",
      cause: "GitHub refuses every merge of the App.",
      evidence: describeRules(found),
      fix: { text: asSentence(capitalised(adviseOn("UPDATES_RESTRICTED"))), url: pageOf(found, repository) },
    };
  },
);

const branchLocked = examination(
  "BRANCH_LOCKED",
  ["protection", "repository"],
  ({ protection, repository }) =>
    protection.details?.locked !== true
      ? null
      : {
          severity: "error",
          title: "The branch is locked",
          cause: "GitHub refuses every merge into a branch that is read-only.",
          evidence: "branch protection locks the branch",
          fix: {
            text: "Untick Lock branch in the branch's protection.",
            url: `${repository.url}/settings/branches`,
          },
        },
);

const deploymentsRequired = examination(
  "DEPLOYMENTS_REQUIRED",
  ["rules", "repository"],
  ({ rules, repository }) => {
    const found = bindingRules(rules?.base ?? [], ["required_deployments"], "merge");
    if (found.length === 0) return null;
    return {
      severity: "warning",
      title: "A merge requires deployments that have succeeded",
      cause:
        "GitHub refuses to merge a pull request whose head was not deployed to the environments of the rule. The queue deploys nothing, and pauses when a second pull request is refused.",
      evidence: describeRules(found),
      fix: {
        text: asSentence(capitalised(adviseOn("DEPLOYMENT_MISSING", true))),
        url: pageOf(found, repository),
      },
    };
  },
);

const bypassNotExempt = examination(
  "BYPASS_NOT_EXEMPT",
  ["rules", "repository"],
  ({ rules, repository }, { mergeMethod }) => {
    if (mergeMethod !== "merge_commit") return null;
    const found = (rules?.base ?? []).filter(
      (rule) => ["update", "pull_request", "merge_queue"].includes(rule.type) && isHalfFree(rule),
    );
    if (found.length === 0) return null;
    return {
      severity: "warning",
      title: "The App's bypass does not cover moving the branch",
      cause:
        "With the bypass modes Always and For pull requests, GitHub lets the App merge pull requests, but not move the branch to the tested commit. Trainyard then merges pull requests one by one, which is slower.",
      evidence: describeRules(found),
      fix: { text: "Set the App's bypass mode to Exempt.", url: pageOf(found, repository) },
    };
  },
);

const isHalfFree = ({ ruleset: { bypass } }: RuleFact) => bypass === "always" || bypass === "pull_request";

const mergeQueueRule = examination("MERGE_QUEUE_RULE", ["rules", "repository"], ({ rules, repository }) => {
  const all = (rules?.base ?? []).filter(({ type }) => type === "merge_queue");
  const found = bindingRules(all, ["merge_queue"], "merge");
  if (all.length === 0) return null;
  const isBound = found.length > 0;
  return {
    ...(isBound ? weigh(found, "merge") : { severity: "warning" as const }),
    title: "GitHub's own merge queue is on",
    cause: isBound
      ? "GitHub merges into this branch through its own queue only, and refuses the merges of the App."
      : "Two queues can merge pull requests, and neither knows what the other is testing.",
    evidence: describeRules(all),
    fix: { text: "Remove the rule Require merge queue from the branch.", url: pageOf(all, repository) },
  };
});

const linearHistory = examination(
  "LINEAR_HISTORY_REQUIRED",
  ["rules", "protection", "repository"],
  ({ rules, protection, repository }, { mergeMethod }) => {
    if (mergeMethod !== "merge_commit") return null;
    const found = bindingRules(rules?.base ?? [], ["required_linear_history"], "merge");
    const isProtected = protection.details?.linearHistory === true;
    if (found.length === 0 && !isProtected) return null;
    return {
      ...(found.length > 0 ? weigh(found, "merge") : { severity: "error" as const }),
      title: "The branch does not accept merge commits, but the queue creates them",
      cause: "GitHub refuses every merge with mergeMethod merge_commit.",
      evidence: found.length > 0 ? describeRules(found) : "branch protection requires linear history",
      fix: {
        text: asSentence(capitalised(adviseOn("LINEAR_HISTORY_REQUIRED"))),
        url: found.length > 0 ? pageOf(found, repository) : `${repository.url}/settings/branches`,
      },
    };
  },
);

const signaturesRequired = examination(
  "SIGNATURES_REQUIRED",
  ["rules", "protection", "repository"],
  ({ rules, protection, repository }, { mergeMethod }) => {
    // GitHub signs the commits that it creates by squashing.
    const found = bindingRules(rules?.base ?? [], ["required_signatures"], "merge");
    const isProtected = protection.details?.signatures === true;
    if ((found.length === 0 && !isProtected) || mergeMethod === "squash") return null;
    const isRebase = mergeMethod === "rebase";
    const weighed = found.length > 0 ? weigh(found, "merge") : { severity: "error" as const };
    return {
      ...(isRebase ? weighed : { severity: "warning" as const }),
      title: "The branch accepts only signed commits",
      cause: isRebase
        ? "GitHub does not sign the commits that it rebases, and refuses every merge with mergeMethod rebase."
        : `With mergeMethod ${mergeMethod}, a pull request merges only if each of its commits has a verified signature.`,
      evidence: found.length > 0 ? describeRules(found) : "branch protection requires signed commits",
      fix: {
        text: isRebase
          ? asSentence(capitalised(adviseOn("REBASE_NOT_SIGNED")))
          : "Set the queue's mergeMethod to squash, or have all authors sign.",
        url: found.length > 0 ? pageOf(found, repository) : `${repository.url}/settings/branches`,
      },
    };
  },
);

const upToDate = examination(
  "UP_TO_DATE_REQUIRED",
  ["rules", "protection", "repository"],
  ({ rules, protection, repository }, { mergeMethod }) => {
    const base = rules?.base ?? [];
    const strict = bindingRules(base, ["required_status_checks"], "merge").filter(
      ({ parameters }) => parameters.strict_required_status_checks_policy === true,
    );
    const isProtected = protection.details?.strict === true;
    if (strict.length === 0 && !isProtected) return null;
    // Moving the branch to the tested commit keeps it up to date.
    if (mergeMethod === "merge_commit" && !mergesOneByOne(base)) return null;
    return {
      severity: "error",
      title: "Pull requests must be up to date before they merge",
      cause:
        "The queue tests a pull request on top of the branch, and does not update its head. GitHub refuses the merge if the head does not contain the branch's latest commit, and the queue pauses.",
      evidence:
        strict.length > 0 ? describeRules(strict) : "branch protection requires branches to be up to date",
      fix: {
        text: asSentence(capitalised(adviseOn("UP_TO_DATE_REQUIRED"))),
        url: strict.length > 0 ? pageOf(strict, repository) : `${repository.url}/settings/branches`,
      },
    };
  },
);

const passesWithMerge = "The check passes only when the pull request merges";
const neverReported = "The check had this name before the branch was renamed";

const ownCheckRequired = examination(
  "OWN_CHECK_REQUIRED",
  ["required", "rules", "protection", "repository"],
  ({ required, rules, protection, repository }, { branch }) => {
    const present = ownCheckName(branch);
    const names = required.own.map(({ name }) => name);
    const own = names.includes(present) ? present : names[0];
    if (own === undefined) return null;
    const statusRules = (rules?.base ?? []).filter(({ type }) => type === "required_status_checks");
    const found = statusRules.filter(({ parameters }) => contextsOf(parameters).includes(own));
    const isProtected = protection.required.some(({ name }) => name === own);
    const isBound = isProtected || found.some((rule) => binds(rule, "merge") !== false);
    return {
      severity: isBound ? "error" : "note",
      title: "The queue's own check is required",
      cause: isBound
        ? `${own === present ? passesWithMerge : neverReported}, but GitHub refuses the merge until the check has passed.`
        : "The App may bypass the rule; nobody else can merge by hand.",
      evidence: `"${own}" is required by ${isProtected ? "branch protection" : describeRules(found)}`,
      fix: {
        text: isBound
          ? `Remove "${own}" from the required checks, or let the App bypass the ruleset in mode Exempt.`
          : "Nothing, if that is what you want.",
        url: isProtected ? `${repository.url}/settings/branches` : pageOf(found, repository),
      },
    };
  },
);

function contextsOf({ required_status_checks: checks }: RuleFact["parameters"]): string[] {
  return Array.isArray(checks) ? checks.map(({ context }: { context: string }) => context) : [];
}

const reviewsDismissed = examination(
  "REVIEWS_DISMISSED_ON_PUSH",
  ["rules", "repository"],
  ({ rules, repository }) => {
    const found = (rules?.base ?? []).filter(
      ({ type, parameters }) => type === "pull_request" && parameters.dismiss_stale_reviews_on_push === true,
    );
    if (found.length === 0) return null;
    return {
      severity: "note",
      title: "Approvals are dismissed when they are stale",
      cause:
        "GitHub dismisses approvals after a push, and also when a merge into the branch changes what the pull request would merge. Such a pull request leaves the queue and keeps its place for the time of reviewGraceMinutes.",
      evidence: describeRules(found),
      fix: { text: "Nothing, if that is what you want.", url: pageOf(found, repository) },
    };
  },
);

const planWithoutRules = examination(
  "PLAN_WITHOUT_RULES",
  ["rules", "repository"],
  ({ rules, repository }) =>
    rules !== null
      ? null
      : {
          severity: "note",
          title: "The repository's plan has no rulesets",
          cause: "GitHub does not prevent people from pushing to the branch without the queue.",
          evidence: "GitHub answers a request for the branch's rules with 403 Upgrade to GitHub Pro",
          fix: {
            text: "Upgrade the plan if the branch has to be protected.",
            url: `${repository.url}/settings`,
          },
        },
);

const protectionHidden = examination(
  "PROTECTION_HIDDEN",
  ["protection", "repository"],
  ({ protection, repository }) =>
    !protection.isProtected || typeof protection.details?.strict === "boolean"
      ? null
      : {
          severity: "note",
          title: "Classic branch protection is partly hidden",
          cause:
            "The App can read only a part of it. A lock, push restrictions, or an up-to-date requirement that no open pull request shows, may exist and block merges.",
          evidence: "GET branches/{branch}/protection needs the permission Administration (read)",
          fix: {
            text: "Check the protection rule yourself, or replace it with a ruleset, which the App can read.",
            url: `${repository.url}/settings/branches`,
          },
        },
);

export const baseRuleExaminations = [
  updatesRestricted,
  branchLocked,
  deploymentsRequired,
  bypassNotExempt,
  mergeQueueRule,
  linearHistory,
  signaturesRequired,
  commitMessagesRestricted,
  upToDate,
  ownCheckRequired,
  reviewsDismissed,
  planWithoutRules,
  protectionHidden,
];
