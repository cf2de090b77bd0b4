import type { Account } from "../account.ts";
import type { Repository } from "../repository.ts";
import { protectionOf } from "../rules/protection.ts";
import { decideReview, type ReviewDecision, type ReviewRules, strictestOf } from "../rules/review-rules.ts";
import { type Rule, rulesOn } from "../rules/ruleset.ts";
import type { World } from "../world.ts";
import type { PullRequest, Review, ReviewThread } from "./pull-request.ts";

/** Returns the review rules of a branch, regardless of bypasses; null = there are none. */
export function reviewRulesOf(repository: Repository, branch: string): ReviewRules | null {
  const protection = protectionOf(repository.protections, branch);
  const ofProtection = protection === null ? [] : [protection.reviews];
  return strictestOf([
    ...ofProtection,
    ...rulesOn(repository, branch, "pull_request").map(reviewRulesOfRule),
  ]);
}

/** Converts a ruleset's rule to review requirements. */
export const reviewRulesOfRule = ({ parameters }: Extract<Rule, { type: "pull_request" }>): ReviewRules => ({
  approvals: parameters.required_approving_review_count,
  dismissStale: parameters.dismiss_stale_reviews_on_push,
  codeOwners: parameters.require_code_owner_review,
  lastPushApproval: parameters.require_last_push_approval,
  conversations: parameters.required_review_thread_resolution,
});

export function reviewDecision(pull: PullRequest): Promise<ReviewDecision> {
  return decideReview(pull, reviewRulesOf(pull.repository, pull.base.ref));
}

export async function dismissReview(
  world: World,
  pull: PullRequest,
  sender: Account,
  review: Review,
): Promise<void> {
  review.state = "DISMISSED";
  pull.updatedAt = world.now();
  await world.emit({ type: "review", pull, sender, review, action: "dismissed" });
}

export async function resolveThread(
  world: World,
  thread: ReviewThread,
  sender: Account,
  isResolved: boolean,
): Promise<void> {
  if (thread.isResolved === isResolved) return;
  thread.isResolved = isResolved;
  const action = isResolved ? "resolved" : "unresolved";
  await world.emit({ type: "review_thread", pull: thread.pull, sender, thread, action });
}
