import type { Account, App } from "../account.ts";
import type { MergeMethod, Repository } from "../repository.ts";

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
export type Mergeability =
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
  /** The comment mentions them. The others take part in the conversation. */
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
  /** Who was told of it when it was written. */
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
