import type { RequiredCheck } from "../../engine/model/checks/required-checks.ts";
import type { PullRequestFacts } from "../../engine/model/entry.ts";
import type { MergeOutcome } from "../../engine/model/merge-attempt.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { CommitMessage } from "../../engine/model/test-run.ts";
import type { CheckReading } from "./check-reading.ts";
import type { ConflictDetails } from "./conflict-details.ts";
import type { FoundRepositoryFile } from "./found-repository-file.ts";
import type { IssueTracker } from "./issue-tracker.ts";
import type { MergeGate, MergePlan } from "./merge-plan.ts";
import type { CommentContent, PostedComment } from "./own-comment.ts";
import type { PullRequestText } from "./pull-request-text.ts";
import type { TestCommitPlan, TestCommitResult } from "./test-commit-plan.ts";

/** A repository together with the installation of the App through which it is reached. */
export interface InstalledRepository extends RepositoryRef {
  readonly installationId: number;
}

/** A person's permission on a repository; `maintain` counts as write and `triage` as read. */
export type RepositoryPermission = "admin" | "write" | "read" | "none";

/** How a head compares with the base. */
export interface HeadComparison {
  /** Commits that are on the head and not on the base. */
  readonly aheadBy: number;
  /** Commits that are on the base and not on the head. */
  readonly behindBy: number;
  /** The head's tree. */
  readonly treeSha: string;
  /** Equal for heads that bring the same patch, each against its own merge base; null when the code host does not show all of it. */
  readonly patch: string | null;
}

/** A pull request to open for a test branch. */
export interface TestPullRequest {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/** A pull request in a listing. It has fewer fields than a full reading. */
export interface ListedPullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly baseBranch: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** Who enabled auto-merge; null when it is off. */
  readonly autoMergeBy: { readonly login: string; readonly id: number; readonly isBot: boolean } | null;
  readonly updatedAt: number;
}

/** The reaction to a comment with commands: `thumbs_up` when all were carried out, otherwise `confused`. */
export type Reaction = "thumbs_up" | "confused";

/** A comment found by polling. */
export interface FoundComment {
  readonly id: number;
  /** The id that `react` takes. */
  readonly nodeId: string;
  readonly issue: number;
  readonly onPullRequest: boolean;
  readonly body: string;
  readonly authorLogin: string;
  readonly authorIsBot: boolean;
  readonly authorId: number;
  /** The App that wrote it; null when a person wrote it directly. */
  readonly viaAppId: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A label that was added to or removed from a pull request. */
export interface LabelEvent {
  readonly id: number;
  readonly action: "labeled" | "unlabeled";
  readonly label: string;
  readonly actorLogin: string;
  readonly actorIsBot: boolean;
  readonly actorId: number;
  readonly at: number;
}

/** An in-progress workflow run that a pull request from a fork started. */
export interface ForkRun {
  /** The pull request's head, not the test merge that is checked out. */
  readonly headSha: string;
  /** The open pull requests whose head is the fork branch that the run is for. */
  readonly pullRequests: readonly number[];
}

/**
 * When a comment or command was given on a pull request, in milliseconds since the epoch, and its author's
 * login.
 */
export interface SaidAt {
  readonly at: number;
  readonly by: string;
  /** The first digits of the head that was meant. Nothing is proven if the branch had several such heads. */
  readonly beginning?: string;
}

/** The code host's record of which head a pull request had at a given time. */
export type HeadRecord =
  /** The head was already there, and nothing was pushed since. */
  | { readonly kind: "proven"; readonly sha: string }
  /** The current head was pushed later. */
  | { readonly kind: "pushed_since"; readonly sha: string }
  /** Nothing proves either: a fork, a push by another person in the same second, several heads that were meant, or no record. */
  | { readonly kind: "unknown" };

/** The account that pushed a commit. */
export interface Pusher {
  readonly login: string;
  readonly id: number;
  readonly isPerson: boolean;
}

export type RerunResult =
  | { readonly kind: "begun" }
  | { readonly kind: "busy" }
  | { readonly kind: "impossible"; readonly message: string };

export interface CancelledWorkflowRuns {
  readonly cancelled: number;
  /** Why the code host refuses, in its own words; null when it does not refuse. */
  readonly refused: string | null;
}

export interface CheckRunContent {
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly detailsUrl: string | null;
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion: "success" | "failure" | "cancelled" | "neutral" | null;
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  /** Problems at lines of the commit's files; at most 50. */
  readonly annotations?: readonly CheckAnnotation[];
}

export interface CheckAnnotation {
  readonly path: string;
  /** Starts at 1. */
  readonly line: number;
  readonly message: string;
}

/**
 * The operations of the code host. Expected outcomes are values. Everything else throws a `CodeHostError`,
 * which says whether to retry later.
 */
export interface CodeHost extends IssueTracker {
  /**
   * The App's installation on a repository; null when the App is not installed there or the repository does
   * not exist.
   */
  findInstallation(repo: RepositoryRef): Promise<number | null>;
  /**
   * The commit at the tip of a branch; null when the branch does not exist. `fresh`: do not accept the code
   * host's answer that nothing has changed since the last reading, because that answer may be stale.
   */
  branchTip(repo: InstalledRepository, branch: string, fresh?: boolean): Promise<string | null>;
  /** The SHA of a commit's tree. */
  treeOf(repo: InstalledRepository, sha: string): Promise<string>;
  /** Read now, not from a cache; null when the pull request does not exist. */
  readPullRequest(repo: InstalledRepository, pr: number): Promise<PullRequestFacts | null>;
  readPullRequestText(repo: InstalledRepository, pr: number): Promise<PullRequestText>;
  /** The title and message that the code host would give a merge commit of a pull request. What is missing has the usual form. */
  readMergeMessage(repo: InstalledRepository, pr: number): Promise<CommitMessage>;
  /**
   * Returns the pull requests, of at most 50, whose merge is blocked by reviewers or conversations, or that
   * are part of a stack. Returns none when one query cannot determine that; each pull request is read in full
   * before it merges anyway.
   */
  listObjectedTo(repo: InstalledRepository, prs: readonly number[]): Promise<readonly number[]>;
  /** Every open pull request with this base branch. */
  listOpenPullRequests(repo: InstalledRepository, base: string): Promise<readonly ListedPullRequest[]>;
  /** Comments on issues and pull requests that were written or edited at or after `since`, oldest first. */
  listComments(repo: InstalledRepository, since: number): Promise<readonly FoundComment[]>;
  /** The labels added to and removed from a pull request, oldest first. */
  listLabelEvents(repo: InstalledRepository, pr: number): Promise<readonly LabelEvent[]>;
  /** When auto-merge was enabled, in milliseconds since the epoch; null when it is off. */
  autoMergeEnabledAt(repo: InstalledRepository, pr: number): Promise<number | null>;
  /**
   * Whether a pull request already had its head when a comment or command was given, according to the code
   * host's record of pushes.
   */
  headAt(repo: InstalledRepository, pr: number, said: SaidAt): Promise<HeadRecord>;
  /**
   * Who pushed the commit that a branch points to; null when the code host's record of pushes does not name it
   * (yet).
   */
  pusherOf(repo: InstalledRepository, branch: string, sha: string): Promise<Pusher | null>;
  /** The text of a file at a branch or commit, or on the default branch (`ref` null); null when it does not exist. */
  readFile(repo: InstalledRepository, ref: string | null, path: string): Promise<string | null>;
  /** The repository's own file at a branch or commit, and files that resemble it. */
  readRepositoryFile(repo: InstalledRepository, ref: string): Promise<FoundRepositoryFile>;
  /** Whether these are the same at two branches or commits, or absent from both. */
  isSameRepositoryFile(repo: InstalledRepository, refs: readonly [string, string]): Promise<boolean>;
  /**
   * Returns the paths (files or directories) whose content at a head differs both from the branch and from
   * the merge base. These are the paths that merging the head changes.
   */
  changedBetween(
    repo: InstalledRepository,
    branch: string,
    head: string,
    paths: readonly string[],
  ): Promise<readonly string[]>;
  /** Finds where a head and a branch may conflict. */
  conflictDetails(repo: InstalledRepository, branch: string, head: string): Promise<ConflictDetails>;
  /** The paths that a pull request changes, including old names of renamed files. GitHub lists at most 3,000. */
  changedPaths(repo: InstalledRepository, pr: number): Promise<readonly string[]>;
  /** The labels on a pull request. */
  listLabels(repo: InstalledRepository, pr: number): Promise<readonly string[]>;
  /** Adds a label to a pull request, and creates the label if the repository does not have it. */
  addLabel(repo: InstalledRepository, pr: number, label: string): Promise<void>;
  /** Removes a label from a pull request. No error when it is already gone. */
  removeLabel(repo: InstalledRepository, pr: number, label: string): Promise<void>;
  /** Null when the run does not exist, has ended, or was not started by a pull request from a fork. */
  readForkRun(repo: InstalledRepository, runId: number): Promise<ForkRun | null>;
  permissionOf(repo: InstalledRepository, login: string): Promise<RepositoryPermission>;
  /** The checks that the branch's protection requires. May come from a reading of the last minute, unless `fresh`. */
  requiredChecks(
    repo: InstalledRepository,
    branch: string,
    fresh?: boolean,
  ): Promise<readonly RequiredCheck[]>;
  /**
   * The checks on a commit that may count as required checks. When `branch` is given, checks that ran on the
   * commit for another branch are excluded. `fresh` is as in `branchTip`.
   */
  readChecks(
    repo: InstalledRepository,
    sha: string,
    required: readonly RequiredCheck[],
    branch?: string | null,
    fresh?: boolean,
  ): Promise<CheckReading>;
  /**
   * Re-runs the failed jobs of a check suite, which is one workflow run. `busy`: some of its jobs are still
   * in progress, so none can be re-run yet. `impossible`: they can never be re-run.
   */
  rerunFailedJobs(repo: InstalledRepository, suiteId: number): Promise<RerunResult>;
  /** Cancels the unfinished workflow runs of a branch. */
  cancelWorkflowRuns(repo: InstalledRepository, branch: string): Promise<CancelledWorkflowRuns>;
  /** Compares two commits by SHA. Throws `not_found` when one of them does not exist. */
  compareHead(repo: InstalledRepository, base: string, head: string): Promise<HeadComparison>;
  /**
   * Creates the commits and pushes the test branch once, so that CI starts once. Repeating a plan gives the
   * same branch with equal trees.
   */
  buildTestCommit(repo: InstalledRepository, plan: TestCommitPlan): Promise<TestCommitResult>;
  /**
   * Opens a pull request for a test branch, as a draft where the repository supports drafts. Returns false
   * when the code host refuses to create one. Repeating the call creates no second one.
   */
  openTestPullRequest(repo: InstalledRepository, pull: TestPullRequest): Promise<boolean>;
  /** Removes a branch. No error when it is already gone. */
  removeBranch(repo: InstalledRepository, branch: string): Promise<void>;
  /** The branches whose names start with `prefix`. */
  listBranches(repo: InstalledRepository, prefix: string): Promise<readonly string[]>;
  /**
   * Merges the steps in order, each only onto the base that it was tested on, and compares the result with
   * what was tested. Immediately before each call it checks that the pull requests are still as tested, and
   * asks the gate for permission. Never repeats a merge blindly: it first reads what an earlier attempt may
   * have done. If fewer steps than planned were merged and there is no stop reason, the rest was called off.
   */
  merge(repo: InstalledRepository, plan: MergePlan, gate: MergeGate): Promise<MergeOutcome>;
  /**
   * Creates (`id` null) or updates our check run, and returns its id. `mayExist`: a check run may exist whose
   * id we do not know. Then the latest is updated, because GitHub shows that one.
   */
  putCheckRun(
    repo: InstalledRepository,
    id: string | null,
    content: CheckRunContent,
    mayExist: boolean,
  ): Promise<string>;
  /**
   * Edits our comment on a pull request; nobody is notified. Creates one, of which people are notified, if none was posted, or one
   * with another mark, which is then hidden. `mayExist`: one may exist that we do not know of. Duplicates are deleted.
   */
  putComment(
    repo: InstalledRepository,
    pr: number,
    posted: PostedComment | null,
    content: CommentContent,
    mayExist: boolean,
  ): Promise<PostedComment>;
  /** Adds a reaction to a comment. An existing one stays. */
  react(repo: InstalledRepository, commentNodeId: string, reaction: Reaction): Promise<void>;
}
