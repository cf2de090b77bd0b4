import type { Account } from "./account.ts";
import { ownersOfChanges } from "./code-owners.ts";
import type { PullRequest, Review, ReviewThread } from "./pull-request.ts";
import { type ReviewRequirement, reviewRequirementsOn } from "./review-requirements.ts";
import type { World } from "./world.ts";

/**
 * What reviewers made of a pull request, by the rules of its base. Null: they require no review.
 * https://docs.github.com/en/graphql/reference/enums#pullrequestreviewdecision
 */
export type ReviewDecision = "APPROVED" | "CHANGES_REQUESTED" | "REVIEW_REQUIRED" | null;

export async function reviewDecision(pull: PullRequest): Promise<ReviewDecision> {
  const requirements = reviewRequirementsOn(pull.repository, pull.base.ref).filter(wantsReview);
  if (requirements.length === 0) return null;
  if (hasObjection(pull)) return "CHANGES_REQUESTED";
  for (const requirement of requirements)
    if ((await missingApprovals(pull, requirement)).length > 0) return "REVIEW_REQUIRED";
  return "APPROVED";
}

const wantsReview = ({ approvals, codeOwners, lastPush }: ReviewRequirement): boolean =>
  approvals > 0 || codeOwners || lastPush;

const hasObjection = (pull: PullRequest): boolean =>
  latestOpinions(pull).some(({ state }) => state === "CHANGES_REQUESTED");

/** The last word of each reviewer; a comment is none, and a dismissed review is nobody's. */
export function latestOpinions(pull: PullRequest): Review[] {
  const opinions = pull.reviews.filter(({ state }) => state !== "COMMENTED");
  const latest = new Map(opinions.map((review) => [review.author.id, review]));
  return [...latest.values()].filter(({ state }) => state !== "DISMISSED");
}

/** GitHub's reasons why reviews and conversations do not let it merge. */
export async function unmetReviews(pull: PullRequest, requirement: ReviewRequirement): Promise<string[]> {
  const refusals: string[] = [];
  if (wantsReview(requirement) && hasObjection(pull)) refusals.push("Changes have been requested.");
  refusals.push(...(await missingApprovals(pull, requirement)));
  if (requirement.conversations && pull.threads.some(({ isResolved }) => !isResolved))
    refusals.push("A conversation must be resolved before this pull request can be merged.");
  return refusals;
}

async function missingApprovals(
  pull: PullRequest,
  { approvals, codeOwners, lastPush }: ReviewRequirement,
): Promise<string[]> {
  const approved = latestOpinions(pull).filter(({ state }) => state === "APPROVED");
  const missing: string[] = [];
  if (approved.length < approvals) {
    const noun = approvals === 1 ? "approving review is" : "approving reviews are";
    missing.push(`At least ${approvals} ${noun} required by reviewers with write access.`);
  }
  if (codeOwners) {
    const names = new Set(approved.map(({ author }) => author.login.toLowerCase()));
    const owners = (await ownersOfChanges(pull)).find((any) => !any.some((owner) => names.has(owner)));
    if (owners !== undefined) missing.push(`Waiting on code owner review from ${owners.join(", ")}.`);
  }
  if (lastPush) {
    const pusher = pull.lastPusher;
    const isSeen = approved.some(({ author, commit }) => author !== pusher && commit === pull.head.sha);
    if (!isSeen) {
      const why = `because ${pusher.login} was the last pusher`;
      missing.push(`New changes require approval from someone other than ${pusher.login} ${why}.`);
    }
  }
  return missing;
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

/** Dismisses approvals of an earlier head, where a rule of the base wants that. */
export async function dismissStaleReviews(world: World, pull: PullRequest, sender: Account): Promise<void> {
  const requirements = reviewRequirementsOn(pull.repository, pull.base.ref);
  if (!requirements.some(({ dismissStale }) => dismissStale)) return;
  for (const review of latestOpinions(pull))
    if (review.state === "APPROVED" && review.commit !== pull.head.sha)
      await dismissReview(world, pull, sender, review);
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
