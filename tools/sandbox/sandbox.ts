import type { CiSettings } from "./ci/ci-settings.ts";
import type { Verdict } from "./ci/facts.ts";
import type { RepositoryOptions } from "./create-repository.ts";
import type { FaultPlan } from "./faults/fault-plan.ts";
import type { Faults } from "./faults/faults.ts";
import type { CallLimits, ContentLimits } from "./limits/call-limits.ts";
import type { RequestLog } from "./request-log.ts";
import type { Violation } from "./violation.ts";
import type { Delivery } from "./webhooks/delivery.ts";
import type { WebhookFaults } from "./webhooks/hook.ts";
import type { Role } from "./world/permission.ts";
import type { ProtectionOptions } from "./world/protection.ts";
import type { RulesetOptions } from "./world/ruleset.ts";
import type { Delays } from "./world/world.ts";

export interface SandboxOptions {
  /** Default: a free port of 127.0.0.1. */
  port?: number;
  /**
   * Where the bare repositories lie; it must hold none yet, since the world around them starts empty. Default:
   * a temporary directory that goes when the sandbox closes.
   */
  directory?: string;
  /** Decides CI's durations and flakes, and what happens to webhooks. Default: 1. */
  seed?: number;
  /** Where webhooks go; none by default. */
  webhookUrl?: string;
  webhooks?: WebhookFaults;
  /** What goes wrong with the service's calls. Default: nothing. */
  faults?: FaultPlan;
  /** How much content an installation may create. Default: as much as it likes, as on GitHub Enterprise Server. */
  contentLimits?: ContentLimits;
  /** The App's manifest. Default: `app.yml` of this repository. */
  appManifest?: string;
  delays?: Partial<Delays>;
  /**
   * How many calls answers say that a caller may make in an hour. Once an answer says that none are left, a further call is a
   * violation. Default: 1,000,000.
   */
  callsPerHour?: number;
  /** How many jobs of CI run at once in all repositories of an owner. Default: unlimited. */
  runners?: number;
  /**
   * The version of GitHub Enterprise Server that it is, such as `3.17.0`: answers and webhooks name it, and the REST version 2026-03-10
   * is not known. Default: none.
   */
  enterpriseVersion?: string;
}

export interface SandboxApp {
  id: number;
  slug: string;
  clientId: string;
  /** PEM. */
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
  /** The bare repository. To be read only. */
  directory: string;
}

export interface TreeVerdict {
  green: boolean;
  checks: Record<string, Verdict>;
}

/** A GitHub of one's own: real HTTP over real git, without GitHub. */
export interface Sandbox {
  /** `http://127.0.0.1:PORT`; the REST API lies there, and below `/api/v3`. */
  readonly url: string;
  readonly host: string;
  readonly app: SandboxApp;
  /** The App that CI reports as: what a required check is bound to. */
  readonly ciAppId: number;
  /** The environment in which a Probot App serves this sandbox. */
  readonly env: Record<string, string>;
  readonly requests: RequestLog;
  /** What goes wrong with calls, and what did. */
  readonly faults: Faults;
  readonly limits: CallLimits;
  /** How long GitHub seems to take, from now on. */
  readonly delays: Delays;
  /** Attempts at delivering webhooks, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Must stay empty; see {@link Violation}. */
  readonly violations: readonly Violation[];
  /** `permission` holds in every repository; without it, only what a repository grants. */
  createUser(user: { login: string; permission?: Role }): SandboxUser;
  createRepository(options: RepositoryOptions): Promise<SandboxRepository>;
  /** @param repository `owner/name`. Null lifts the branch's protection. */
  setProtection(repository: string, branch: string, protection: ProtectionOptions | null): void;
  /**
   * Replaces all rulesets of their owner, and takes effect at once.
   *
   * @param owner `owner/name` of a repository, or the login of an organisation
   */
  setRulesets(owner: string, rulesets: readonly RulesetOptions[]): void;
  /**
   * Makes a native stack of pull requests, from the lowest up; each is into the head branch of the one below it. Dissolving it leaves out
   * what has merged.
   */
  stack(repository: string, pulls: readonly number[]): { readonly number: number; dissolve(): void };
  /** Reports a commit status as the App of CI. */
  reportStatus(
    repository: string,
    status: { sha: string; context: string; state: "pending" | "success" | "failure" | "error" },
  ): Promise<void>;
  setCi(repository: string, ci: Partial<CiSettings> | null): void;
  setWebhookUrl(url: string | null): void;
  /**
   * Gives the App the permissions and events of another manifest, and its installations, too, unless they are not accepted: then an
   * installation keeps the permissions that it has until `acceptPermissions`.
   */
  updateApp(appManifest: string, options?: { accepted?: boolean }): void;
  /** The owner of an account grants what the App asks for now. */
  acceptPermissions(owner: string): Promise<void>;
  suspend(owner: string): Promise<void>;
  unsuspend(owner: string): Promise<void>;
  uninstall(owner: string): Promise<void>;
  /** Installs the App again, on all repositories of an account or on selected ones (`owner/name`). Answers the new id. */
  install(owner: string, selected?: readonly string[]): Promise<number>;
  /** Changes for which repositories the installation is; from then on it is for selected ones. */
  select(owner: string, change: { added?: readonly string[]; removed?: readonly string[] }): Promise<void>;
  /** @param repository `owner/name`, here and below */
  renameRepository(repository: string, name: string): Promise<void>;
  transferRepository(repository: string, owner: string): Promise<void>;
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
    /** From 1. */
    readonly attempt: number;
    readonly headSha: string;
    readonly headBranch: string | null;
    /** Null: it is not over. */
    readonly conclusion: string | null;
  }[];
  readonly ci: {
    /** The truth about a tree, or about a commit's tree, by the checks that the repository's CI runs. */
    verdictOf(repository: string, treeish: string): Promise<TreeVerdict>;
    /**
     * The trees that passed every check on a branch to which CI listens; pull requests' own heads do not
     * count.
     */
    greenTrees(repository: string): Promise<ReadonlySet<string>>;
  };
  /** Resolves when nothing is under way: no CI, no delivery, nothing that GitHub does in its own time. */
  settled(): Promise<void>;
  /** Ends everything. No timer, child process, or connection is left. */
  close(): Promise<void>;
}
