import type { PullRequestFacts } from "../engine/model/pull-request-facts.ts";
import type { MergeOutcome } from "../engine/model/merge-attempt.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { RequiredCheck } from "../engine/model/checks/required-checks.ts";
import type { CheckReading } from "./check-reading.ts";
import type { IssueTracker } from "./issue-tracker.ts";
import type { MergeGate, MergePlan } from "./merge-plan.ts";
import type { PullRequestText } from "./pull-request-text.ts";
import type { TestCommitPlan, TestCommitResult } from "./test-commit-plan.ts";

/** A repository as reached through an installation of the App. */
export interface InstalledRepository extends RepositoryRef {
  readonly installationId: number;
}

/** The permission of a person on a repository; `maintain` counts as write and `triage` as read. */
export type RepositoryPermission = "admin" | "write" | "read" | "none";

/** How a head stands to the base. */
export interface HeadComparison {
  /** Commits of the head that the base lacks. */
  readonly aheadBy: number;
  /** Commits of the base that the head lacks. */
  readonly behindBy: number;
  /** The head's tree. */
  readonly treeSha: string;
}

/** A pull request to open for a test branch. */
export interface TestPullRequest {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/** A pull request in a listing, which says less than reading it. */
export interface ListedPullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly baseBranch: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** Who has enabled auto-merge; null: it is off. */
  readonly autoMergeBy: { readonly login: string; readonly id: number; readonly isBot: boolean } | null;
  readonly updatedAt: number;
}

/** How a comment with commands is answered at a glance: all were carried out, or not all. */
export type Reaction = "thumbs_up" | "confused";

/** A comment found by polling. */
export interface FoundComment {
  readonly id: number;
  /** What `react` knows it by. */
  readonly nodeId: string;
  readonly issue: number;
  readonly onPullRequest: boolean;
  readonly body: string;
  readonly authorLogin: string;
  readonly authorIsBot: boolean;
  readonly authorId: number;
  /** The App by which it was written; null when it was written by hand. */
  readonly viaAppId: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Somebody put a label on a pull request, or took it off. */
export interface LabelEvent {
  readonly id: number;
  readonly action: "labeled" | "unlabeled";
  readonly label: string;
  readonly actorLogin: string;
  readonly actorIsBot: boolean;
  readonly actorId: number;
  readonly at: number;
}

/** A run in progress of a workflow that a pull request from a fork began. */
export interface ForkRun {
  /** The pull request's head, not the test merge that is checked out. */
  readonly headSha: string;
  /** The open pull requests whose head is the fork's branch that it runs for. */
  readonly pullRequests: readonly number[];
}

/** When something was said on a pull request, in milliseconds since the epoch, and the login of who said it. */
export interface SaidAt {
  readonly at: number;
  readonly by: string;
}

/** What the code host has recorded of the head that a pull request had at a time. */
export type HeadRecord =
  /** It was there before, and nothing was pushed since. */
  | { readonly kind: "proven"; readonly sha: string }
  /** What is the head now was pushed later. */
  | { readonly kind: "pushed_since"; readonly sha: string }
  /** Nothing that proves either: a fork, somebody else's push in the same second, no such record. */
  | { readonly kind: "unknown" };

export type RerunResult =
  | { readonly kind: "begun" }
  | { readonly kind: "busy" }
  | { readonly kind: "impossible"; readonly message: string };

export interface CancelledWorkflowRuns {
  readonly cancelled: number;
  /** Why the code host does not let us, in its words; null = it does. */
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
  /** What is wrong where in the files of the commit; at most 50. */
  readonly annotations?: readonly CheckAnnotation[];
}

export interface CheckAnnotation {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/**
 * What we ask of the code host. Expected outcomes are values; everything else throws a `CodeHostError`, which says whether
 * trying again later makes sense.
 */
export interface CodeHost extends IssueTracker {
  /** The installation of the App on a repository; null when it is not installed there or there is no such repository. */
  findInstallation(repo: RepositoryRef): Promise<number | null>;
  /**
   * The commit at the tip of a branch; null when there is no such branch. `fresh`: the code host may not answer that nothing has
   * changed since the last reading, which it may not know yet.
   */
  branchTip(repo: InstalledRepository, branch: string, fresh?: boolean): Promise<string | null>;
  /** Freshly read; null when there is no such pull request. */
  readPullRequest(repo: InstalledRepository, pr: number): Promise<PullRequestFacts | null>;
  readPullRequestText(repo: InstalledRepository, pr: number): Promise<PullRequestText>;
  /**
   * Those of at most 50 pull requests to whose merge reviewers object, or conversations. Empty also when that cannot be read at a
   * glance: each pull request is read in full before it merges.
   */
  listObjectedTo(repo: InstalledRepository, prs: readonly number[]): Promise<readonly number[]>;
  /** Every open pull request into a branch. */
  listOpenPullRequests(repo: InstalledRepository, base: string): Promise<readonly ListedPullRequest[]>;
  /** Comments on issues and pull requests that were written or edited since a time, oldest first. */
  listComments(repo: InstalledRepository, since: number): Promise<readonly FoundComment[]>;
  /** What was done with labels of a pull request, oldest first. */
  listLabelEvents(repo: InstalledRepository, pr: number): Promise<readonly LabelEvent[]>;
  /** Since when auto-merge is enabled, in milliseconds since the epoch; null when it is not. */
  autoMergeEnabledAt(repo: InstalledRepository, pr: number): Promise<number | null>;
  /** Whether the head of a pull request was there already when something was said, by the code host's own record of pushes. */
  headAt(repo: InstalledRepository, pr: number, said: SaidAt): Promise<HeadRecord>;
  /** The text of a file at a branch or commit, or on the default branch when that is null; null when it is not there. */
  readFile(repo: InstalledRepository, ref: string | null, path: string): Promise<string | null>;
  /** Whether a file is the same at two branches or commits, or at neither. */
  isSameFile(repo: InstalledRepository, path: string, refs: readonly [string, string]): Promise<boolean>;
  /**
   * Those of the paths, which are files or directories, that are at a head neither what they are on a branch nor what they were where
   * the head left it: what a merge of the head changes.
   */
  changedBetween(
    repo: InstalledRepository,
    branch: string,
    head: string,
    paths: readonly string[],
  ): Promise<readonly string[]>;
  /** The paths that a pull request changes, old names included; GitHub tells 3,000 files at most. */
  changedPaths(repo: InstalledRepository, pr: number): Promise<readonly string[]>;
  /** The labels on a pull request. */
  listLabels(repo: InstalledRepository, pr: number): Promise<readonly string[]>;
  /** Puts a label on a pull request; one that the repository does not have yet is made. */
  addLabel(repo: InstalledRepository, pr: number, label: string): Promise<void>;
  /** Takes a label off a pull request; no error when it is gone already. */
  removeLabel(repo: InstalledRepository, pr: number, label: string): Promise<void>;
  /** Null when there is no such run, it is over, or it was not a pull request from a fork that began it. */
  readForkRun(repo: InstalledRepository, runId: number): Promise<ForkRun | null>;
  permissionOf(repo: InstalledRepository, login: string): Promise<RepositoryPermission>;
  /** What the branch's protection requires; may be answered from a recent reading. */
  requiredChecks(repo: InstalledRepository, branch: string): Promise<readonly RequiredCheck[]>;
  /**
   * Everything that reported on a commit and may count for the required checks. With a branch, what reported on the commit for
   * another branch is left out. `fresh` is as for `branchTip`.
   */
  readChecks(
    repo: InstalledRepository,
    sha: string,
    required: readonly RequiredCheck[],
    branch?: string | null,
    fresh?: boolean,
  ): Promise<CheckReading>;
  /**
   * Begins the failed jobs of a check suite again, which is a run of a workflow. `busy`: some of its jobs are not over, and until then
   * none can be re-run. `impossible`: it never will be.
   */
  rerunFailedJobs(repo: InstalledRepository, suiteId: number): Promise<RerunResult>;
  /** Cancels the workflow runs of a branch that are not over. */
  cancelWorkflowRuns(repo: InstalledRepository, branch: string): Promise<CancelledWorkflowRuns>;
  /** Compares two commits, both named by their SHA; `not_found` is thrown when one of them does not exist. */
  compareHead(repo: InstalledRepository, base: string, head: string): Promise<HeadComparison>;
  /**
   * Makes the commits and pushes the test branch, in one move, so that CI starts once. Repeating a plan gives the same
   * branch with equal trees.
   */
  buildTestCommit(repo: InstalledRepository, plan: TestCommitPlan): Promise<TestCommitResult>;
  /** Opens a pull request for a test branch, a draft where there are drafts; false: the code host makes none. Repeating it makes no second one. */
  openTestPullRequest(repo: InstalledRepository, pull: TestPullRequest): Promise<boolean>;
  /** Removes a branch; no error when it is gone already. */
  removeBranch(repo: InstalledRepository, branch: string): Promise<void>;
  /** Branches whose names begin so. */
  listBranches(repo: InstalledRepository, prefix: string): Promise<readonly string[]>;
  /**
   * Merges the steps in order, each only onto the base that its tests stood on, and compares what came of it with what was
   * tested. In the last moment before each call it looks whether the pull requests are still what was tested, and asks for leave.
   * Never repeats a merge blindly: whatever an earlier try may have done is found out by reading. With less merged than was planned and
   * nothing that stopped it, the rest was called off.
   */
  merge(repo: InstalledRepository, plan: MergePlan, gate: MergeGate): Promise<MergeOutcome>;
  /**
   * Creates (`id` null) or updates our check run; answers its id. `mayExist`: there may be one whose id we do
   * not know. Then the latest is updated, because GitHub shows that one.
   */
  putCheckRun(
    repo: InstalledRepository,
    id: string | null,
    content: CheckRunContent,
    mayExist: boolean,
  ): Promise<string>;
  /**
   * Creates (`id` null) or edits our comment on a pull request; answers its id. `mayExist`: there may be one whose id
   * we do not know. Duplicates are deleted.
   */
  putComment(
    repo: InstalledRepository,
    pr: number,
    id: string | null,
    body: string,
    mayExist: boolean,
  ): Promise<string>;
  /** Adds a reaction to a comment; one that is there already stays. */
  react(repo: InstalledRepository, commentNodeId: string, reaction: Reaction): Promise<void>;
}
