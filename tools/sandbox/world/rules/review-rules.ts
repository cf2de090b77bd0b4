import type { PullRequest, Review } from "../pulls/pull-request.ts";
import { ownersOfChanges } from "./code-owners.ts";

/** The requirements of a rule for reviews, in branch protection or in a ruleset. */
export interface ReviewRules {
  /** Number of required approvals. */
  approvals: number;
  /** Whether a change of the pull request's diff dismisses earlier approvals. */
  dismissStale: boolean;
  /** Whether each changed file with code owners needs an approval of one of them. */
  codeOwners: boolean;
  /** Whether an account other than the last pusher must approve the last push. */
  lastPushApproval: boolean;
  /** Whether every conversation must be resolved. */
  conversations: boolean;
}

/** Combines several rules into the strictest one; null without any rule. */
export function strictestOf(rules: readonly ReviewRules[]): ReviewRules | null {
  if (rules.length === 0) return null;
  return {
    approvals: Math.max(...rules.map(({ approvals }) => approvals)),
    dismissStale: rules.some(({ dismissStale }) => dismissStale),
    codeOwners: rules.some(({ codeOwners }) => codeOwners),
    lastPushApproval: rules.some(({ lastPushApproval }) => lastPushApproval),
    conversations: rules.some(({ conversations }) => conversations),
  };
}

/**
 * The decision of the reviewers. Null = no rule requires a review, regardless of existing reviews.
 * https://docs.github.com/en/graphql/reference/enums#pullrequestreviewdecision
 */
export type ReviewDecision = "APPROVED" | "CHANGES_REQUESTED" | "REVIEW_REQUIRED" | null;

export async function decideReview(pull: PullRequest, rules: ReviewRules | null): Promise<ReviewDecision> {
  if (rules === null || !requiresReview(rules)) return null;
  if (areChangesRequested(pull)) return "CHANGES_REQUESTED";
  return (await missingApprovals(pull, rules)).length > 0 ? "REVIEW_REQUIRED" : "APPROVED";
}

/** Returns GitHub's reasons why reviews and conversations block a pull request. */
export async function unmetReviewRules(pull: PullRequest, rules: ReviewRules): Promise<string[]> {
  const refusals: string[] = [];
  if (requiresReview(rules)) {
    if (areChangesRequested(pull)) refusals.push("Changes have been requested.");
    else refusals.push(...(await missingApprovals(pull, rules)));
  }
  if (rules.conversations && pull.threads.some(({ isResolved }) => !isResolved))
    refusals.push("A conversation must be resolved before this pull request can be merged.");
  return refusals;
}

/** Returns the last opinion of each reviewer. Comments and dismissed reviews are not opinions. */
export function latestOpinions(pull: PullRequest): Review[] {
  const opinions = pull.reviews.filter(({ state }) => state !== "COMMENTED");
  const latest = new Map(opinions.map((review) => [review.author.id, review]));
  return [...latest.values()].filter(({ state }) => state !== "DISMISSED");
}

/** Returns the opinions that count: those of reviewers with write access. */
export function countedOpinions(pull: PullRequest): Review[] {
  return latestOpinions(pull).filter(({ author }) => pull.repository.isWriter(author));
}

const requiresReview = ({ approvals, codeOwners, lastPushApproval }: ReviewRules): boolean =>
  approvals > 0 || codeOwners || lastPushApproval;

const areChangesRequested = (pull: PullRequest): boolean =>
  countedOpinions(pull).some(({ state }) => state === "CHANGES_REQUESTED");

async function missingApprovals(pull: PullRequest, rules: ReviewRules): Promise<string[]> {
  const approvals = countedOpinions(pull).filter(({ state }) => state === "APPROVED");
  const missing: string[] = [];
  if (approvals.length < rules.approvals) {
    const noun = rules.approvals === 1 ? "approving review is" : "approving reviews are";
    missing.push(`At least ${rules.approvals} ${noun} required by reviewers with write access.`);
  }
  if (rules.codeOwners) {
    const approvers = new Set(approvals.map(({ author }) => author.login.toLowerCase()));
    const waiting = (await ownersOfChanges(pull)).find((owners) => !owners.some((one) => approvers.has(one)));
    // Authors cannot approve their own changes.
    const asked = waiting?.filter((owner) => owner !== pull.author.login.toLowerCase());
    if (asked) missing.push(`Waiting on code owner review from ${asked.join(", ")}.`);
  }
  const pusher = pull.pushedBy;
  const isLastApproved = approvals.some(
    ({ author, commit }) => author !== pusher && commit === pull.head.sha,
  );
  if (rules.lastPushApproval && !isLastApproved)
    missing.push(
      `New changes require approval from someone other than ${pusher.login} because they were the last pusher.`,
    );
  return missing;
}
