import type { Account } from "./account.ts";
import { type Protection, protectionOf } from "./protection.ts";
import type { PullRequest, Review, ReviewThread } from "./pull-request.ts";
import type { World } from "./world.ts";

/**
 * What reviewers made of a pull request, by the rules of its base. Null: they require no review.
 * https://docs.github.com/en/graphql/reference/enums#pullrequestreviewdecision
 */
export type ReviewDecision = "APPROVED" | "CHANGES_REQUESTED" | "REVIEW_REQUIRED" | null;

export function reviewDecision(pull: PullRequest): ReviewDecision {
  const protection = protectionOf(pull.repository.protections, pull.base.ref);
  const needed = protection?.requiredReviews ?? null;
  if (needed === null) return null;
  const opinions = latestOpinions(pull);
  if (opinions.some(({ state }) => state === "CHANGES_REQUESTED")) return "CHANGES_REQUESTED";
  return opinions.filter(({ state }) => state === "APPROVED").length < needed
    ? "REVIEW_REQUIRED"
    : "APPROVED";
}

/** The last word of each reviewer; a comment is none, and a dismissed review is nobody's. */
export function latestOpinions(pull: PullRequest): Review[] {
  const opinions = pull.reviews.filter(({ state }) => state !== "COMMENTED");
  const latest = new Map(opinions.map((review) => [review.author.id, review]));
  return [...latest.values()].filter(({ state }) => state !== "DISMISSED");
}

/** GitHub's reasons why reviews and conversations do not let it merge. */
export function unmetReviewRules(pull: PullRequest, protection: Protection): string[] {
  const refusals: string[] = [];
  const needed = protection.requiredReviews ?? 0;
  const decision = reviewDecision(pull);
  if (decision === "CHANGES_REQUESTED") refusals.push("Changes have been requested.");
  if (decision === "REVIEW_REQUIRED") {
    const noun = needed === 1 ? "approving review is" : "approving reviews are";
    refusals.push(`At least ${needed} ${noun} required by reviewers with write access.`);
  }
  if (protection.conversationResolution && pull.threads.some(({ isResolved }) => !isResolved))
    refusals.push("A conversation must be resolved before this pull request can be merged.");
  return refusals;
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
