import type { Account, App } from "./account.ts";
import type { MergeMethod, Repository } from "./repository.ts";

export interface Label {
  id: number;
  name: string;
  color: string;
}

/**
 * Whether a pull request merges without a text conflict.
 * - `unknown`: not computed since the head or the base moved. GitHub answers `mergeable: null`.
 * - `clean`: `commit` is the test merge that `refs/pull/N/merge` names.
 * - `conflict`: the merge has a text conflict.
 */
export type Mergeability =
  | { state: "unknown" }
  | { state: "clean"; commit: string; tree: string; rebaseable: boolean }
  | { state: "conflict" };

/** A line of the issue's history, as the events operation lists it. */
export interface IssueEvent {
  id: number;
  event: "labeled" | "unlabeled" | "closed" | "reopened" | "merged" | "referenced";
  actor: Account;
  label: Label | null;
  commit: string | null;
  at: Date;
}

/** The commits between which a reviewer saw the changes. */
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
}

/** A conversation about a line, begun by a comment of a review. */
export interface ReviewThread {
  id: number;
  pull: PullRequest;
  review: Review;
  path: string;
  line: number;
  body: string;
  isResolved: boolean;
}

export interface Comment {
  id: number;
  pull: PullRequest;
  author: Account;
  /** The App whose installation wrote it, if one did. */
  app: App | null;
  body: string;
  reactions: Reaction[];
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
  /** The id of the issue that it also is. */
  issueId: number;
  number: number;
  repository: Repository;
  author: Account;
  title: string;
  body: string | null;
  state: "open" | "closed";
  draft: boolean;
  /** `repository` is a fork for a pull request from one, else the same as the pull request's. */
  head: { ref: string; sha: string; repository: Repository };
  /** `sha` is the base branch when the head last moved, not its tip now. */
  base: { ref: string; sha: string };
  /** Who has pushed the head. */
  pushedBy: Account;
  /** Who has told GitHub to merge it when its rules are met; null: nobody. */
  autoMerge: { by: Account; method: MergeMethod; at: Date } | null;
  labels: Label[];
  comments: Comment[];
  reviews: Review[];
  threads: ReviewThread[];
  events: IssueEvent[];
  mergeability: Mergeability;
  /** The test merge while open; the merge, squash, or last rebased commit once merged. */
  mergeCommitSha: string | null;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  merged: { at: Date; by: Account } | null;
}

/** Whether its head is the branch of a repository. */
export const comesFrom = ({ head }: PullRequest, repository: Repository, branch: string): boolean =>
  head.repository === repository && head.ref === branch;
export const isFromFork = ({ head, repository }: PullRequest): boolean => head.repository !== repository;
export const isOpen = (pull: PullRequest): boolean => pull.state === "open";
export const headRef = (pull: PullRequest): string => `refs/pull/${pull.number}/head`;
export const mergeRef = (pull: PullRequest): string => `refs/pull/${pull.number}/merge`;
