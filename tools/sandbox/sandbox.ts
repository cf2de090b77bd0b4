import type { CiSettings } from "./ci/ci-settings.ts";
import type { Verdict } from "./ci/facts.ts";
import type { History } from "./controls.ts";
import type { RepositoryOptions } from "./create-repository.ts";
import type { FaultPlan } from "./faults/fault-plan.ts";
import type { Faults } from "./faults/faults.ts";
import type { CallLimits, ContentLimits } from "./limits/call-limits.ts";
import type { RequestLog, Violation } from "./request-log.ts";
import type { WebhookFaults } from "./webhooks/hook.ts";
import type { Delivery } from "./webhooks/hook-transport.ts";
import type { Membership, Role } from "./world/account.ts";
import type { ProtectionOptions } from "./world/rules/protection.ts";
import type { RulesetOptions } from "./world/rules/ruleset.ts";
import type { Delays } from "./world/world.ts";

export interface SandboxOptions {
  /** Default: a free port on 127.0.0.1. */
  port?: number;
  /**
   * Directory of the bare repositories. It must not contain any yet, because the sandbox starts without repositories. Default: a
   * temporary directory, which is deleted when the sandbox closes.
   */
  directory?: string;
  /** Determines CI's durations and flakes, and the faults of webhooks. Default: 1. */
  seed?: number;
  /** URL that receives webhooks. Default: none. */
  webhookUrl?: string;
  webhooks?: WebhookFaults;
  /** Faults of the service's calls. Default: none. */
  faults?: FaultPlan;
  /** How much content an installation may create. Default: no limit, as on GitHub Enterprise Server. */
  contentLimits?: ContentLimits;
  /** The App's manifest. Default: `app.yml` of this repository. */
  appManifest?: string;
  delays?: Partial<Delays>;
  /**
   * The hourly call limit that responses show. After a response shows that no calls are left, a further call is a violation.
   * Default: 1,000,000.
   */
  callsPerHour?: number;
  /** Maximum number of CI jobs that run at once in all repositories of an owner. Default: unlimited. */
  runners?: number;
  /**
   * The simulated version of GitHub Enterprise Server, such as `3.17.0`. Responses and webhooks name it, and the REST version
   * 2026-03-10 is unknown. Default: none.
   */
  enterpriseVersion?: string;
}

interface SandboxApp {
  id: number;
  slug: string;
  clientId: string;
  /** In PEM format. */
  privateKey: string;
  webhookSecret: string;
}

export interface SandboxUser {
  login: string;
  id: number;
  token: string;
}

export interface SandboxRepository {
  id: number;
  owner: string;
  name: string;
  fullName: string;
  /** Without credentials. */
  gitUrl: string;
  /** The bare repository. Only for reading. */
  directory: string;
}

interface TreeVerdict {
  green: boolean;
  checks: Record<string, Verdict>;
}

/** A local simulation of GitHub, with real HTTP and real git. */
export interface Sandbox {
  /** `http://127.0.0.1:PORT`. The REST API is available there and below `/api/v3`. */
  readonly url: string;
  readonly host: string;
  readonly app: SandboxApp;
  /** The App that reports CI's checks. Required checks can be bound to it. */
  readonly ciAppId: number;
  /** The environment variables for a Probot App that serves this sandbox. */
  readonly env: Record<string, string>;
  readonly requests: RequestLog;
  /** Injects faults into calls, and records them. */
  readonly faults: Faults;
  readonly limits: CallLimits;
  /** The simulated delays of GitHub. Changes take effect at once. */
  readonly delays: Delays;
  /** Delivery attempts of webhooks, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Must stay empty; see {@link Violation}. */
  readonly violations: readonly Violation[];
  /**
   * `permission` applies to every repository. Without it, the user has only the roles that repositories grant. A login that ends in
   * `[bot]` is that of a bot. Default id: the next one.
   */
  createUser(user: { login: string; permission?: Role; id?: number }): SandboxUser;
  /** Gives a user another role in every repository. GitHub does not report this to Apps. */
  setPermission(login: string, permission: Role): void;
  /** Makes a user a member, or an owner (`admin`), of an organisation. Null removes them. GitHub does not report this to Apps. */
  setMembership(organisation: string, login: string, membership: Membership | null): void;
  /** Replaces the account by GitHub's `ghost`. Its tokens become invalid, and its repositories are deleted. */
  deleteUser(login: string): void;
  createRepository(options: RepositoryOptions): Promise<SandboxRepository>;
  /** @param repository `owner/name`. A null protection removes the branch's protection. */
  setProtection(repository: string, branch: string, protection: ProtectionOptions | null): void;
  /**
   * Replaces all rulesets of the owner, with immediate effect.
   *
   * @param owner `owner/name` of a repository, or the login of an organisation
   */
  setRulesets(owner: string, rulesets: readonly RulesetOptions[]): void;
  /** Gives an organisation a team with these members, with write access to its repositories. @param slug `org/team` */
  setTeam(slug: string, members: readonly string[]): void;
  /** Makes a pre-receive hook refuse all merges by the API with these words, as on a GitHub Enterprise Server. Null = none does. */
  setPreReceiveHook(repository: string, refusal: string | null): void;
  /**
   * Creates a native stack of pull requests, from the lowest up. Each one targets the head branch of the one below it. Dissolving
   * the stack does not change pull requests that have merged.
   */
  stack(repository: string, pulls: readonly number[]): { readonly number: number; dissolve(): void };
  /** Reports a commit status as CI's App. */
  reportStatus(
    repository: string,
    status: { sha: string; context: string; state: "pending" | "success" | "failure" | "error" },
  ): Promise<void>;
  setCi(repository: string, ci: Partial<CiSettings> | null): void;
  setWebhookUrl(url: string | null): void;
  /** Signs every browser in to this GitHub as one account; null = visitors choose one when they sign in to the App. */
  signInAs(login: string | null): void;
  /**
   * Gives the App the permissions and events of another manifest. Its installations get them, too, unless `accepted` is false:
   * then an installation keeps its permissions until `acceptPermissions`.
   */
  updateApp(appManifest: string, options?: { accepted?: boolean }): void;
  /** Grants the permissions that the App currently requests, as the account's owner. */
  acceptPermissions(owner: string): Promise<void>;
  suspend(owner: string): Promise<void>;
  unsuspend(owner: string): Promise<void>;
  uninstall(owner: string): Promise<void>;
  /** Reinstalls the App, on all repositories of an account or on selected ones (`owner/name`). Returns the new id. */
  install(owner: string, selected?: readonly string[]): Promise<number>;
  /** Changes the repositories of the installation. From then on it covers only selected repositories. */
  select(owner: string, change: { added?: readonly string[]; removed?: readonly string[] }): Promise<void>;
  /** @param repository `owner/name`, here and in the following methods */
  renameRepository(repository: string, name: string): Promise<void>;
  transferRepository(repository: string, owner: string): Promise<void>;
  /** Restricts comments to people with the write role. */
  lockConversation(repository: string, pull: number): void;
  /** Changes whether the repository is public. No webhook reports it. */
  setPublic(repository: string, isPublic: boolean): void;
  archive(repository: string): Promise<void>;
  unarchive(repository: string): Promise<void>;
  deleteRepository(repository: string): Promise<void>;
  renameBranch(repository: string, from: string, to: string): Promise<void>;
  /** The runs of a repository's workflows, oldest first. */
  workflowRuns(repository: string): readonly {
    readonly id: number;
    readonly event: "push" | "pull_request";
    /** The workflow's name. */
    readonly workflow: string;
    /** Counts from 1. */
    readonly attempt: number;
    readonly headSha: string;
    readonly headBranch: string | null;
    /** Null = the run is not over. */
    readonly conclusion: string | null;
  }[];
  /** The remaining comments on a pull request, oldest first, and the people whom GitHub notified of each. Edits notify nobody. */
  toldOn(
    repository: string,
    pull: number,
  ): readonly {
    readonly by: string;
    readonly body: string;
    /** The logins of those that it mentioned. */
    readonly mentioned: readonly string[];
    /** The logins of the others that take part in the conversation. */
    readonly others: readonly string[];
  }[];
  /** Reads the history of a branch without a request, which is fast even on a busy machine. */
  historyOf(repository: string, branch: string): Promise<History>;
  readonly ci: {
    /** The truth about a tree, or about a commit's tree, for the checks of the repository's CI. */
    verdictOf(repository: string, treeish: string): Promise<TreeVerdict>;
    /** The trees that passed every check on a branch on which CI runs. The heads of pull requests do not count. */
    greenTrees(repository: string): Promise<ReadonlySet<string>>;
  };
  /** Resolves when no work is running or planned: CI, deliveries, or GitHub's asynchronous work. */
  settled(): Promise<void>;
  /** Ends everything. No timer, child process, or connection remains. */
  close(): Promise<void>;
}
