import { type Protection, protectionOf } from "./protection.ts";
import type { Repository } from "./repository.ts";
import { type Rule, rulesOn } from "./ruleset.ts";

/** What one rule wants of reviews before a pull request may merge. */
export interface ReviewRequirement {
  approvals: number;
  /** Of an owner of each changed file. */
  codeOwners: boolean;
  /** Of the head, by somebody else than who pushed it. */
  lastPush: boolean;
  conversations: boolean;
  /** A push dismisses approvals. */
  dismissStale: boolean;
}

export const requirementOfProtection = (protection: Protection): ReviewRequirement => ({
  approvals: protection.requiredReviews ?? 0,
  codeOwners: false,
  lastPush: false,
  conversations: protection.conversationResolution,
  dismissStale: false,
});

export const requirementOfRule = ({
  parameters,
}: Extract<Rule, { type: "pull_request" }>): ReviewRequirement => ({
  approvals: parameters.required_approving_review_count,
  codeOwners: parameters.require_code_owner_review,
  lastPush: parameters.require_last_push_approval,
  conversations: parameters.required_review_thread_resolution,
  dismissStale: parameters.dismiss_stale_reviews_on_push,
});

/** The requirements of a branch's protection and of its rulesets. */
export function reviewRequirementsOn(repository: Repository, branch: string): ReviewRequirement[] {
  const protection = protectionOf(repository.protections, branch);
  const ofProtection = protection === null ? [] : [requirementOfProtection(protection)];
  return [...ofProtection, ...rulesOn(repository, branch, "pull_request").map(requirementOfRule)];
}
