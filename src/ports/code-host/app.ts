import type { RepositoryRef } from "../../engine/model/queue.ts";

/**
 * Permissions by name (`contents`) with `read`, `write` or `admin`, and the webhook events that the App
 * subscribes to.
 */
export interface AppAccess {
  readonly permissions: Readonly<Record<string, string>>;
  readonly events: readonly string[];
}

/** The App as registered at the code host. */
export interface RegisteredApp extends AppAccess {
  readonly id: number;
  /** Its name in addresses. */
  readonly slug: string;
  /** The settings page where its owner changes permissions and events. */
  readonly settingsUrl: string;
}

/** Why the service cannot merge anything with the App that it runs as. */
export interface AppFault {
  readonly code: "APP_NOT_READ_YET" | "APP_CREDENTIALS_REFUSED" | "APP_PERMISSIONS_MISSING";
  /** What is wrong and what to do. */
  readonly problem: string;
}

/** The last known repository and branch of a queue. */
export interface KnownPlace {
  readonly repo: RepositoryRef;
  readonly branch: string;
  readonly installationId: number;
  /** Null when it was never read. */
  readonly repositoryId: number | null;
}

/** How the App currently reaches a repository. */
export type Reach =
  | {
      readonly kind: "reached";
      readonly repo: RepositoryRef;
      readonly repositoryId: number;
      readonly ownerId: number;
      readonly archived: boolean;
      /** Whether everyone who reaches the code host may read it. */
      readonly isPublic: boolean;
      /** The branch's current name; null when it does not exist. */
      readonly branch: string | null;
      readonly installation: Installation;
    }
  | { readonly kind: "suspended"; readonly installation: Installation }
  /** The known installation is gone, and there is no other. */
  | { readonly kind: "not_installed" }
  /** The App is installed, but not on this repository, or the repository is gone. */
  | { readonly kind: "not_visible" };

/** An account with the App, and somebody's part in it. */
export interface Ownership {
  readonly accountId: number;
  /** Whether a person is the account, or owns the organisation. False also if the App is suspended, or may not read its members. */
  readonly isOwner: boolean;
}

/** An installation of the App on an account. */
export interface Installation {
  readonly id: number;
  /** The account's login. */
  readonly owner: string;
  /** Whether it is an account of a person, which cannot grant permissions about an organisation. */
  readonly isPersonal: boolean;
  /** The permissions that the account's owner has granted, in the form of a manifest. */
  readonly permissions: Readonly<Record<string, string>>;
  /** The page where the owner accepts permissions and unsuspends the installation. */
  readonly settingsUrl: string;
}

/** The claims of a workflow's token about the run that it was issued to. */
export interface WorkflowIdentity {
  /** The `sub` claim. */
  readonly subject: string;
  /** The workflow's name. */
  readonly workflow: string;
  readonly repository: { readonly owner: string; readonly name: string };
  /**
   * The checked-out commit: a branch's commit, or for `pull_request` the test merge commit, which is not the
   * head SHA.
   */
  readonly sha: string;
  /** `refs/heads/…`, or for `pull_request` `refs/pull/N/merge`. */
  readonly ref: string;
}

export type VerifiedToken =
  | { readonly kind: "valid"; readonly identity: WorkflowIdentity }
  /** `why` completes the sentence "The workflow's token is not accepted: …". */
  | { readonly kind: "invalid"; readonly why: string }
  /** The issuer's keys could not be read, so the token can be neither accepted nor rejected. */
  | { readonly kind: "unavailable"; readonly why: string };

/** The call limits of one installation at the code host. Times are in milliseconds since the epoch. */
export interface CallLimits {
  /** The code host accepts no REST calls until this time; 0 if it never limited any. */
  readonly restStoppedUntil: number;
  /** The code host accepts no GraphQL calls, which have a separate budget, until this time; 0 if it never limited any. */
  readonly graphqlStoppedUntil: number;
  /**
   * How many contents (comments, merges, issues) could be created at `filledAt` under the per-minute limit.
   */
  readonly minuteTokens: number;
  /** How many contents could be created at `filledAt` under the per-hour limit. */
  readonly hourTokens: number;
  readonly filledAt: number;
}

/** Shared by every process that calls the code host. */
export interface CallLimitStore {
  /** Null when nothing was recorded yet. */
  get(installationId: number): Promise<CallLimits | null>;
  /** Reads, changes and writes in one transaction. Returns the written value. */
  update(installationId: number, change: (known: CallLimits | null) => CallLimits): Promise<CallLimits>;
}

/** A rate limit of the code host, as its last response reported it. */
export interface Quota {
  /** `core`, `graphql`, … */
  readonly resource: string;
  readonly limit: number;
  readonly remaining: number;
}

/**
 * The calls that this process has made to the code host through one installation since the process started.
 */
export interface InstallationUsage {
  readonly installationId: number;
  /** Requests by `2xx` … `5xx`, and `none` when there was no response. */
  readonly requests: ReadonlyMap<string, number>;
  readonly quotas: readonly Quota[];
}
