import type { Account, App } from "../account.ts";
import type { MergeMethod, Repository } from "../repository.ts";
import { protectionOf } from "../rules/protection.ts";
import { decideReview, type ReviewDecision, type ReviewRules, strictestOf } from "../rules/review-rules.ts";
import { type Rule, rulesOn } from "../rules/ruleset.ts";
import type { World } from "../world.ts";

export interface Label {
  id: number;
  name: string;
  color: string;
}

/**
 * Whether a pull request merges without a text conflict.
 * - `unknown`: not computed since the head or the base moved. GitHub returns `mergeable: null`.
 * - `clean`: `commit` is the test merge at `refs/pull/N/merge`.
 * - `conflict`: the merge has a text conflict.
 */
type Mergeability =
  | { state: "unknown" }
  | { state: "clean"; commit: string; tree: string; rebaseable: boolean }
  | { state: "conflict" };

/** An entry of the issue's history, as the events operation lists it. */
export interface IssueEvent {
  id: number;
  event: "labeled" | "unlabeled" | "closed" | "reopened" | "merged" | "referenced";
  actor: Account;
  label: Label | null;
  commit: string | null;
  at: Date;
}

/** The base and head commits of the changes that a reviewer saw. */
export interface ReviewedChange {
  from: string;
  to: string;
}

export interface Review {
  id: number;
  author: Account;
  state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
  body: string;
  commit: string;
  change: ReviewedChange;
  at: Date;
  reactions: Reaction[];
}

/** A conversation about a line, which starts with a comment of a review. */
export interface ReviewThread {
  id: number;
  pull: PullRequest;
  review: Review;
  path: string;
  line: number;
  body: string;
  isResolved: boolean;
}

/** A person whom GitHub notifies of a comment. */
export interface Told {
  account: Account;
  /** Whether the comment mentions them. Otherwise they take part in the conversation. */
  isMentioned: boolean;
}

export interface Comment {
  id: number;
  pull: PullRequest;
  author: Account;
  /** The App whose installation wrote it; null = a user did. */
  app: App | null;
  body: string;
  reactions: Reaction[];
  /** Why it is hidden, such as `outdated`; null = it is not. */
  minimized: string | null;
  /** The people who were notified when it was written. */
  told: Told[];
  createdAt: Date;
  updatedAt: Date;
}

export const reactionContents = [
  "+1",
  "-1",
  "laugh",
  "confused",
  "heart",
  "hooray",
  "rocket",
  "eyes",
] as const;

export interface Reaction {
  id: number;
  user: Account;
  content: (typeof reactionContents)[number];
  at: Date;
}

export interface PullRequest {
  id: number;
  /** The id of the pull request's issue. */
  issueId: number;
  number: number;
  repository: Repository;
  author: Account;
  title: string;
  body: string | null;
  state: "open" | "closed";
  draft: boolean;
  /** Whether its conversation is locked. */
  locked: boolean;
  /** `repository` is the fork for a pull request from a fork, otherwise the pull request's own repository. */
  head: { ref: string; sha: string; repository: Repository };
  /** `sha` is the tip of the base when the head last moved, not its current tip. */
  base: { ref: string; sha: string };
  /** The account that last pushed the head. */
  pushedBy: Account;
  /** The account that enabled auto-merge, with the merge method; null = auto-merge is off. */
  autoMerge: { by: Account; method: MergeMethod; at: Date } | null;
  labels: Label[];
  comments: Comment[];
  reviews: Review[];
  threads: ReviewThread[];
  events: IssueEvent[];
  mergeability: Mergeability;
  /** While the pull request is open: the test merge. Once merged: the merge commit, squash commit, or last rebased commit. */
  mergeCommitSha: string | null;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  merged: { at: Date; by: Account } | null;
}

/** Whether the head is this branch of the repository. */
export const comesFrom = ({ head }: PullRequest, repository: Repository, branch: string): boolean =>
  head.repository === repository && head.ref === branch;
export const isFromFork = ({ head, repository }: PullRequest): boolean => head.repository !== repository;
export const isOpen = (pull: PullRequest): boolean => pull.state === "open";
export const headRef = (pull: PullRequest): string => `refs/pull/${pull.number}/head`;
export const mergeRef = (pull: PullRequest): string => `refs/pull/${pull.number}/merge`;

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
