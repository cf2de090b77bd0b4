import type { Account, App, Installation } from "./account.ts";
import type { CheckRun, CheckSuite, CommitStatus, WorkflowRequest } from "./checks/check.ts";
import type { Comment, Label, PullRequest, Review, ReviewThread } from "./pulls/pull-request.ts";
import type { Repository } from "./repository.ts";

type PullRequestAction =
  | { action: "auto_merge_enabled" | "auto_merge_disabled" }
  | { action: "opened" | "reopened" | "closed" | "converted_to_draft" | "ready_for_review" }
  | { action: "synchronize"; before: string; after: string }
  | { action: "edited"; changes: PullRequestChanges }
  | { action: "labeled" | "unlabeled"; label: Label };

export interface PullRequestChanges {
  title?: { from: string };
  body?: { from: string };
  base?: { ref: { from: string }; sha: { from: string } };
}

/** An event in the world. Webhooks and CI receive events in order. */
export type WorldEvent =
  | {
      type: "push";
      repository: Repository;
      sender: Account;
      ref: string;
      before: string | null;
      after: string | null;
      forced: boolean;
    }
  | { type: "pull_request"; pull: PullRequest; sender: Account; change: PullRequestAction }
  | {
      type: "review";
      pull: PullRequest;
      sender: Account;
      review: Review;
      action: "submitted" | "dismissed";
    }
  | {
      type: "review_thread";
      pull: PullRequest;
      sender: Account;
      thread: ReviewThread;
      action: "resolved" | "unresolved";
    }
  | { type: "comment"; comment: Comment; sender: Account; action: "created" | "deleted" }
  | { type: "comment"; comment: Comment; sender: Account; action: "edited"; before: string }
  | {
      type: "check_run";
      repository: Repository;
      sender: Account;
      run: CheckRun;
      action: "created" | "completed" | "rerequested";
    }
  | {
      type: "check_suite";
      repository: Repository;
      sender: Account;
      suite: CheckSuite;
      action: "requested" | "completed" | "rerequested";
    }
  /** Sent to CI only, not to Apps. */
  | {
      type: "workflow_request";
      repository: Repository;
      sender: Account;
      suite: CheckSuite;
      request: WorkflowRequest;
    }
  | { type: "status"; repository: Repository; sender: Account; status: CommitStatus }
  | {
      type: "installation";
      installation: Installation;
      sender: Account;
      action: "created" | "deleted" | "suspend" | "unsuspend" | "new_permissions_accepted";
      repositories: readonly Repository[];
    }
  | {
      type: "installation_repositories";
      installation: Installation;
      sender: Account;
      action: "added" | "removed";
      repositories: readonly Repository[];
    }
  | { type: "repository"; repository: Repository; sender: Account; change: RepositoryChange };

type RepositoryChange =
  | { action: "renamed"; from: string }
  | { action: "transferred"; from: Account }
  | { action: "archived" | "unarchived" | "deleted" };

export type WorldListener = (event: WorldEvent) => Promise<void>;

/** Whether an App receives an event. Apps receive some events of suites and check runs only for their own. */
export const concernsApp = (event: WorldEvent, app: App): boolean =>
  event.type !== "workflow_request" &&
  (event.type !== "check_suite" || event.action === "completed" || event.suite.app === app) &&
  (event.type !== "check_run" || event.action !== "rerequested" || event.run.suite.app === app);
