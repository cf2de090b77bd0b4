import type { CiSettings } from "../ci/ci-settings.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { type Account, type Role, strongerRole } from "./account.ts";
import type { Activity } from "./activity.ts";
import type { CheckRun, CheckSuite, CommitStatus, WorkflowRun } from "./checks/check.ts";
import type { Issue } from "./issue.ts";
import { type Comment, isOpen, type Label, type PullRequest } from "./pulls/pull-request.ts";
import type { Protection } from "./rules/protection.ts";
import type { Ruleset } from "./rules/ruleset.ts";

export type MergeMethod = "merge" | "squash" | "rebase";

interface Identity {
  id: number;
  owner: Account;
  name: string;
  defaultBranch: string;
  createdAt: Date;
  git: GitRepository;
  parent: Repository | null;
}

/** The default titles and messages of merges: https://docs.github.com/en/rest/repos/repos#update-a-repository */
export interface MessageSettings {
  squash_merge_commit_title: "PR_TITLE" | "COMMIT_OR_PR_TITLE";
  squash_merge_commit_message: "PR_BODY" | "COMMIT_MESSAGES" | "BLANK";
  merge_commit_title: "PR_TITLE" | "MERGE_MESSAGE";
  merge_commit_message: "PR_BODY" | "PR_TITLE" | "BLANK";
}

/** A repository with all its objects. */
export class Repository {
  readonly id: number;
  owner: Account;
  name: string;
  defaultBranch: string;
  readonly createdAt: Date;
  readonly git: GitRepository;
  /** The repository that this one forks; null = it is not a fork. */
  readonly parent: Repository | null;
  pushedAt: Date;
  mergeMethods: readonly MergeMethod[] = ["merge", "squash", "rebase"];
  messages: MessageSettings = {
    squash_merge_commit_title: "COMMIT_OR_PR_TITLE",
    squash_merge_commit_message: "COMMIT_MESSAGES",
    merge_commit_title: "MERGE_MESSAGE",
    merge_commit_message: "PR_TITLE",
  };
  protections: Protection[] = [];
  /** The repository's own rulesets, without those of its organisation. */
  rulesets: Ruleset[] = [];
  /** Private repositories on a free plan have no rules. Requests for rules are refused. */
  plan: "free" | "team" = "team";
  ci: CiSettings | null = null;
  readonly collaborators = new Map<string, Role>();
  readonly labels = new Map<string, Label>();
  readonly pulls = new Map<number, PullRequest>();
  /** Issues that are not pull requests. */
  readonly issues = new Map<number, Issue>();
  hasIssues = true;
  /** Whether its settings offer auto-merge. */
  allowAutoMerge = false;
  deleteBranchOnMerge = false;
  archived = false;
  /** Whether its description says that it is public. The sandbox always hides it from strangers. */
  isPublic = false;
  deleted = false;
  /** The message with which a pre-receive hook of a GitHub Enterprise Server refuses merges by the API; null = there is no such hook. */
  preReceiveHook: string | null = null;
  /** Whether this is a past state, which cannot be changed. */
  readonly isPast: boolean = false;
  /** New names of renamed branches by old name. No branch has an old name. */
  readonly renamedBranches = new Map<string, string>();
  readonly comments = new Map<number, Comment>();
  /** By commit SHA, oldest first. */
  readonly suites = new Map<string, CheckSuite[]>();
  readonly suitesById = new Map<number, CheckSuite>();
  readonly runs = new Map<number, CheckRun>();
  readonly workflowRuns = new Map<number, WorkflowRun>();
  readonly statuses = new Map<string, CommitStatus[]>();
  /** Changes of branches, oldest first. */
  readonly activities: Activity[] = [];
  /** Commits whose messages were already searched for references to pull requests. */
  readonly readForReferences = new Set<string>();
  /** Whether the reviews of an account count. */
  isWriter: (account: Account) => boolean = () => false;
  /** Locked during a change of refs and its follow-up work. */
  readonly changing = new Mutex();

  constructor({ id, owner, name, defaultBranch, createdAt, git, parent }: Identity) {
    this.id = id;
    this.owner = owner;
    this.name = name;
    this.defaultBranch = defaultBranch;
    this.createdAt = createdAt;
    this.pushedAt = createdAt;
    this.git = git;
    this.parent = parent;
  }

  get fullName(): string {
    return `${this.owner.login}/${this.name}`;
  }

  branch(name: string): string | null {
    return this.git.refs.get(`refs/heads/${name}`);
  }

  roleOf(account: Account, everywhere: Role): Role {
    return strongerRole(this.collaborators.get(account.login) ?? "none", everywhere);
  }

  openPulls(matches: (pull: PullRequest) => boolean): PullRequest[] {
    return [...this.pulls.values()].filter((pull) => isOpen(pull) && matches(pull));
  }

  suitesOf(sha: string): readonly CheckSuite[] {
    return this.suites.get(sha) ?? [];
  }

  statusesOf(sha: string): readonly CommitStatus[] {
    return this.statuses.get(sha) ?? [];
  }
}

/** Runs one task at a time, in the order of the calls. */
class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  exclusive<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task, task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
