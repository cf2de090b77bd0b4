import type { RequiredCheck } from "../../engine/model/checks/required-checks.ts";
import type { PullRequestFacts } from "../../engine/model/entry.ts";
import type { MergeOutcome } from "../../engine/model/merge-attempt.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { CommitMessage } from "../../engine/model/test-run.ts";
import type { RefusalCause } from "../../engine/reasons/refusal-cause.ts";
import type { KnownPlace, Ownership, Reach } from "./app.ts";
import type {
  CancelledWorkflowRuns,
  CheckReading,
  CheckRunContent,
  FailureAnnotation,
  ForkRun,
  RerunResult,
} from "./checks.ts";
import type { DoctorFacts, DoctorPlace, FactName } from "./doctor-facts.ts";
import type {
  ConflictDetails,
  HeadComparison,
  MergeGate,
  MergePlan,
  TestCommitPlan,
  TestCommitResult,
} from "./merging.ts";
import type {
  CommentContent,
  FoundComment,
  HeadRecord,
  LabelEvent,
  ListedPullRequest,
  PostedComment,
  PullRequestText,
  Pusher,
  Reaction,
  SaidAt,
  TestPullRequest,
} from "./pull-requests.ts";

/** A repository together with the installation of the App through which it is reached. */
export interface InstalledRepository extends RepositoryRef {
  readonly installationId: number;
}

/** A person's permission on a repository; `maintain` counts as write and `triage` as read. */
export type RepositoryPermission = "admin" | "write" | "read" | "none";

/** Which files like the repository's own file a branch or a commit contains. */
export interface FoundRepositoryFile {
  /** Null when there is none. */
  readonly path: string | null;
  readonly text: string | null;
  /** The paths of files that resemble it, and are ignored. */
  readonly strays: readonly string[];
}

/** An issue that the App opened. */
export interface TrackedIssue {
  readonly number: number;
  /** The issue's page. */
  readonly url: string;
}

export interface IssueContent {
  /** Identifies what the issue is about, so that it can be found again. Not visible to people. */
  readonly subject: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly labels: readonly string[];
}

export interface IssueEdit extends Pick<IssueContent, "subject" | "body"> {
  readonly state: "open" | "closed";
}

export interface IssueComment {
  /** Names what the comment says. Each is written once on an issue. */
  readonly key: string;
  readonly body: string;
}

/**
 * The operations of the code host. Expected outcomes are values. Everything else throws a `CodeHostError`,
 * which says whether to retry later.
 */
export interface CodeHost {
  /**
   * The App's installation on a repository; null when the App is not installed there or the repository does
   * not exist.
   */
  findInstallation(repo: RepositoryRef): Promise<number | null>;
  /**
   * Finds a repository by its id, or by its name when the id is unknown, and the App's installation on it.
   *
   * @param isNews the code host has reported a change, so its earlier answers about the installation are not
   * used
   */
  readReach(place: KnownPlace, isNews?: boolean): Promise<Reach>;
  /** Reads one of the facts that `doctor` judges by. Throws a `CodeHostFailure` when it cannot be read. */
  readFact<Name extends FactName>(name: Name, place: DoctorPlace): Promise<DoctorFacts[Name]>;
  /**
   * The commit at the tip of a branch; null when the branch does not exist. `fresh`: do not accept the code
   * host's answer that nothing has changed since the last reading, because that answer may be stale.
   */
  branchTip(repo: InstalledRepository, branch: string, fresh?: boolean): Promise<string | null>;
  treeOf(repo: InstalledRepository, sha: string): Promise<string>;
  /** Read now, not from a cache; null when the pull request does not exist. */
  readPullRequest(repo: InstalledRepository, pr: number): Promise<PullRequestFacts | null>;
  readPullRequestText(repo: InstalledRepository, pr: number): Promise<PullRequestText>;
  /**
   * The title and message that the code host would give a merge commit of a pull request. An absent part has the code host's usual text.
   */
  readMergeMessage(repo: InstalledRepository, pr: number): Promise<CommitMessage>;
  /**
   * Returns the pull requests, of at most 50, whose merge is blocked by reviewers or conversations, or that
   * are part of a stack. Returns none when one query cannot determine that; each pull request is read in full
   * before it merges anyway.
   */
  listObjectedTo(repo: InstalledRepository, prs: readonly number[]): Promise<readonly number[]>;
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
  /** Whether these files are the same at two branches or commits, or absent from both. */
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
  conflictDetails(repo: InstalledRepository, branch: string, head: string): Promise<ConflictDetails>;
  /** The paths that a pull request changes, including old names of renamed files. GitHub lists at most 3,000. */
  changedPaths(repo: InstalledRepository, pr: number): Promise<readonly string[]>;
  listLabels(repo: InstalledRepository, pr: number): Promise<readonly string[]>;
  /** Creates the label if the repository does not have it. */
  addLabel(repo: InstalledRepository, pr: number, label: string): Promise<void>;
  /** No error when the label is already gone. */
  removeLabel(repo: InstalledRepository, pr: number, label: string): Promise<void>;
  /** Null when the run does not exist, has ended, or was not started by a pull request from a fork. */
  readForkRun(repo: InstalledRepository, runId: number): Promise<ForkRun | null>;
  /** @param id the account that must have this login; another account with it gets `none`. Without it, any account counts. */
  permissionOf(repo: InstalledRepository, login: string, id?: number): Promise<RepositoryPermission>;
  /** Null if this installation of the App is not on an account with this login. */
  readOwnership(
    installationId: number,
    account: string,
    person: { readonly id: number; readonly login: string },
  ): Promise<Ownership | null>;
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
  /** The failures that a check run reports; of its first 50 annotations. */
  readAnnotations(repo: InstalledRepository, checkRunId: number): Promise<readonly FailureAnnotation[]>;
  /**
   * Re-runs the failed jobs of a check suite, which is one workflow run. `busy`: some of its jobs are still
   * in progress, so none can be re-run yet. `impossible`: they can never be re-run.
   */
  rerunFailedJobs(repo: InstalledRepository, suiteId: number): Promise<RerunResult>;
  cancelWorkflowRuns(repo: InstalledRepository, branch: string): Promise<CancelledWorkflowRuns>;
  /** Compares two commits by SHA. Throws `not_found` when one of them does not exist. */
  compareHead(repo: InstalledRepository, base: string, head: string): Promise<HeadComparison>;
  /**
   * Returns the commits that a head has, a branch lacks, and whose parents the branch has: one, unless the head contains merges. Of
   * a head with more than a hundred commits, only the oldest hundred are read. Throws `not_found` like `compareHead`.
   */
  firstCommits(repo: InstalledRepository, branch: string, head: string): Promise<readonly string[]>;
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
  /** No error when the branch is already gone. */
  removeBranch(repo: InstalledRepository, branch: string): Promise<void>;
  listBranches(repo: InstalledRepository, prefix: string): Promise<readonly string[]>;
  /**
   * Merges the steps in order, each only onto the base that it was tested on, and compares the result with what was tested. Immediately
   * before each call it checks that the pull requests are still as tested, and asks the gate for permission. Before it repeats a merge, it
   * reads what an earlier attempt may have done. If fewer steps than planned were merged without a stop reason, the rest was recalled.
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
   * Edits our comment on a pull request; nobody is notified. Creates one, of which people are notified, if there is none. Also creates one
   * if the mark differs from that of the last one, which is then hidden. `mayExist`: an unknown comment of ours may exist. Duplicates are
   * deleted.
   */
  putComment(
    repo: InstalledRepository,
    pr: number,
    posted: PostedComment | null,
    content: CommentContent,
    mayExist: boolean,
  ): Promise<PostedComment>;
  /**
   * Our issue about a subject, opened or changed since a time; null when there is none. Like the other operations on issues, throws
   * `denied` without the permission, and `not_found` where issues are disabled.
   */
  findIssue(repo: InstalledRepository, subject: string, since: number): Promise<TrackedIssue | null>;
  openIssue(repo: InstalledRepository, content: IssueContent): Promise<TrackedIssue>;
  /**
   * Reopens or closes an issue and replaces its text. Titles and labels that people changed stay. Null when
   * the issue was deleted.
   */
  editIssue(repo: InstalledRepository, number: number, content: IssueEdit): Promise<TrackedIssue | null>;
  /** `mayExist`: an earlier attempt may have written the comment. */
  commentOnIssue(
    repo: InstalledRepository,
    number: number,
    comment: IssueComment,
    mayExist: boolean,
  ): Promise<void>;
  /** An existing reaction stays. */
  react(repo: InstalledRepository, commentNodeId: string, reaction: Reaction): Promise<void>;
}

/** A failure of the code host that is not an expected outcome. It is classified once, where it is thrown. */
export type CodeHostErrorKind =
  /** Overload, outage or network error: retry. */
  | "unavailable"
  /** The code host cannot do it now because another change is in progress: retry. Nothing was done. */
  | "busy"
  /** Retry after `retryAfterMs`. */
  | "rate_limited"
  /** The code host does not say whether a pull request has the required reviews and resolved conversations: retry. Nothing was done. */
  | "review_unknown"
  /** The App lacks a permission, or the repository refuses. */
  | "denied"
  /** The requested object does not exist, or the App cannot see it. */
  | "not_found"
  /** Our request was wrong. */
  | "invalid";

export interface CodeHostFailure extends Error {
  readonly kind: CodeHostErrorKind;
  readonly retryAfterMs: number | null;
  /** The cause of a lasting refusal; null or absent when only the error message describes it. */
  readonly refusal?: RefusalCause | null;
  /** Whether the code host refused a call that only reads, which says nothing about what may be changed. Default: false. */
  readonly isOfReading?: boolean;
}
