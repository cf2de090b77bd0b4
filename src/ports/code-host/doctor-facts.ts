import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { AppAccess, Reach } from "./app.ts";
import type { FoundRepositoryFile } from "./code-host.ts";

/**
 * The facts that `doctor` judges by, read from the code host. Each fact is read separately, and may be
 * missing.
 */
export interface DoctorFacts {
  readonly app: AppFact;
  readonly server: ServerFact;
  readonly hook: HookFact;
  /** The most recent ones of all repositories, newest first. */
  readonly deliveries: readonly HookDelivery[];
  /** Null when calls are not limited. */
  readonly budget: CallBudget | null;
  readonly reach: Reach;
  readonly repository: RepositoryFact;
  readonly protection: ProtectionFact;
  readonly rules: RulesFact;
  readonly required: RequiredFact;
  readonly workflows: WorkflowFiles;
  /**
   * The checks on the last test branches, and the checks on the base's tip that are not from GitHub Actions.
   */
  readonly pushed: Reports;
  /** The checks on the heads of the most recently changed pull requests. */
  readonly heads: Reports;
  readonly testBranches: readonly PushedBranch[];
  /** Branches whose names exclude those of the queue. */
  readonly obstacles: readonly string[];
  /** The repository's own file on the branch. */
  readonly repositoryFile: FoundRepositoryFile;
}

export type FactName = keyof DoctorFacts;

export interface DoctorPlace {
  readonly repo: RepositoryRef;
  readonly branch: string;
  /** Null when the App is not installed on the repository. */
  readonly installationId: number | null;
  readonly ownBranches: OwnBranchNames;
}

/** Prefixes and names that the queue's branches will have. */
export interface OwnBranchNames {
  readonly testPrefix: string;
  /** A complete branch name. */
  readonly test: string;
  readonly scratch: string;
}

export type AppFact =
  | { readonly kind: "refused"; readonly reason: string }
  | ({
      readonly kind: "read";
      readonly id: number;
      readonly slug: string;
      /** The App's settings page, above `/permissions` and `/advanced`. */
      readonly settingsUrl: string;
    } & AppAccess);

/** Facts about the server from the headers of the code host's responses. */
export interface ServerFact {
  /** Its clock, in milliseconds since the epoch, to the second; null when not sent. */
  readonly date: number | null;
  /** The REST version of its response; null when not sent. */
  readonly apiVersion: string | null;
  /** The version of a GitHub Enterprise Server; null for github.com. */
  readonly enterpriseVersion: string | null;
}

export interface HookFact {
  /** The address that webhooks are sent to; null when there is none. */
  readonly url: string | null;
}

/** One attempt to deliver a webhook. */
export interface HookDelivery {
  readonly guid: string;
  readonly event: string;
  /** `OK`, or the error. */
  readonly status: string;
  /** 0 when there was no response. */
  readonly statusCode: number;
  readonly at: number;
}

/** Calls per hour. */
export interface CallBudget {
  readonly limit: number;
  readonly remaining: number;
  /** When the budget is reset, in milliseconds since the epoch. */
  readonly resetAt: number;
}

export interface RepositoryFact {
  readonly url: string;
  readonly defaultBranch: string;
  /** Null when not disclosed. */
  readonly allowMergeCommit: boolean | null;
  readonly allowSquashMerge: boolean | null;
  readonly allowRebaseMerge: boolean | null;
  readonly allowAutoMerge: boolean | null;
  /** Whether merge commits have GitHub's title, which names the pull request and its branch. */
  readonly hasMergeTitle: boolean;
}

/** Classic branch protection. Only administrators can see all of it. */
export interface ProtectionFact {
  readonly isProtected: boolean;
  /** Null when hidden or not protected. */
  readonly details: {
    /** Null when hidden, and no open pull request shows it. */
    readonly strict: boolean | null;
    readonly linearHistory: boolean;
    readonly signatures: boolean;
    /** Nobody may change the branch; absent when it is not locked, or hidden. */
    readonly locked?: true;
  } | null;
  readonly required: readonly NamedCheck[];
}

/** The checks that the branch's protection and rulesets require. */
export interface RequiredFact {
  /** Our own check, by its present name and by those that it had before the branch was renamed. */
  readonly own: readonly NamedCheck[];
  readonly others: readonly NamedCheck[];
}

export interface NamedCheck {
  readonly name: string;
  /** The App that must report it; null when any App may. */
  readonly appId: number | null;
}

/** Null when the repository's plan does not include rulesets. */
export type RulesFact = {
  readonly base: readonly RuleFact[];
  readonly test: readonly RuleFact[];
  readonly scratch: readonly RuleFact[];
} | null;

export interface RuleFact {
  /** The API's name of the rule type, such as `required_signatures`. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly ruleset: RulesetFact;
}

export interface RulesetFact {
  readonly name: string;
  /** The page where the ruleset can be changed; null when not disclosed. */
  readonly url: string | null;
  /** Whether and how the App can bypass the ruleset. */
  readonly bypass: "always" | "pull_request" | "exempt" | "never" | "unknown";
}

export interface WorkflowFiles {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** How many further files were not read. */
  readonly unread: number;
}

export interface Reports {
  /** How many commits of test branches, or heads, were examined. */
  readonly commits: number;
  readonly checks: readonly NamedCheck[];
}

export interface PushedBranch {
  readonly name: string;
  /** The login of the last person to push it; null when not disclosed. */
  readonly by: string | null;
}
