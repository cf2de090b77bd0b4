import type { Account } from "./account.ts";
import { protectionOf } from "./protection.ts";
import type { PullRequest, Review, ReviewThread } from "./pull-request.ts";
import type { Repository } from "./repository.ts";
import { decideReview, type ReviewDecision, type ReviewRules, strictestOf } from "./review-rules.ts";
import type { World } from "./world.ts";

/** What the rules of a branch want of reviews, whoever merges; null: nothing. */
export function reviewRulesOf(repository: Repository, branch: string): ReviewRules | null {
  const protection = protectionOf(repository.protections, branch);
  return strictestOf(protection === null ? [] : [protection.reviews]);
}

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
