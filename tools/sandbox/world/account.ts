import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Signature } from "../git/git-object.ts";
import type { Ruleset } from "./rules/ruleset.ts";

/** An object with a login: a person, an organisation, or the bot account of an App. */
export interface Account {
  id: number;
  login: string;
  type: "User" | "Organization" | "Bot";
  createdAt: Date;
  /** Whether it was deleted. It then has the login of GitHub's `ghost`, and GraphQL does not show it. */
  isDeleted?: true;
  /** Only for an organisation: rulesets for all its repositories. */
  rulesets?: Ruleset[];
  /** Only for an organisation: its members, and those who are invited. */
  members?: Map<Account, Membership>;
  /** Only for an organisation: the logins of the members of each team, by its slug, all in lower case. */
  teams?: Map<string, ReadonlySet<string>>;
}

export interface Membership {
  /** GitHub calls the owners of an organisation its admins. */
  role: "admin" | "member";
  /** `pending`: invited, and has not accepted. */
  state: "active" | "pending";
}

/** A GitHub App. */
export interface App {
  id: number;
  slug: string;
  name: string;
  clientId: string;
  externalUrl: string;
  owner: Account;
  /** The account `slug[bot]`. */
  bot: Account;
  permissions: Permissions;
  /** Webhook events that it subscribes to, besides those that every App receives. */
  events: readonly string[];
  createdAt: Date;
}

/** The installation of an App on one account. */
export interface Installation {
  id: number;
  app: App;
  account: Account;
  createdAt: Date;
  /** The permissions that the account's owner has granted. Later requests of the App are not included. */
  permissions: Permissions;
  suspendedAt: Date | null;
  /** Ids of the repositories that it covers; null = all repositories of the account. */
  selected: Set<number> | null;
  /** Whether it was uninstalled, which invalidates its tokens. */
  removed: boolean;
}

/** Returns the signature of an account in commits that GitHub creates for it. */
export const signatureOf = (account: Account, date: Date): Signature => ({
  name: account.login,
  email: `${account.id}+${account.login}@users.noreply.github.com`,
  date,
});

/** Returns the committer of commits that GitHub's web interface and merge API create. */
export const webFlow = (date: Date): Signature => ({ name: "GitHub", email: "noreply@github.com", date });

/**
 * Roles of users in a repository, weakest first.
 * https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/repository-roles-for-an-organization
 */
export const roles = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type Role = (typeof roles)[number];

export const hasRole = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
export const strongerRole = (a: Role, b: Role): Role => (hasRole(a, b) ? a : b);

/**
 * Returns one of the four values of `permission` in the collaborator permission operation. Its `role_name` has the exact role.
 */
export function legacyPermission(role: Role): "none" | "read" | "write" | "admin" {
  if (role === "triage") return "read";
  return role === "maintain" ? "write" : role;
}

/** Returns the booleans that GitHub attaches to repositories and collaborators. */
export const permissionFlags = (role: Role) => ({
  admin: hasRole(role, "admin"),
  maintain: hasRole(role, "maintain"),
  push: hasRole(role, "write"),
  triage: hasRole(role, "triage"),
  pull: hasRole(role, "read"),
});

export type Access = "read" | "write";
/** The permissions of an App, by the names in its manifest: `contents`, `pull_requests`, … */
export type Permissions = Readonly<Record<string, Access>>;

export const grants = (permissions: Permissions, name: string, access: Access): boolean =>
  permissions[name] === "write" || permissions[name] === access;

const isAccess = (value: unknown): value is Access => value === "read" || value === "write";

/**
 * Reads the permissions and subscribed events of an App's manifest (`app.yml`).
 * @throws if the file lacks one of them
 */
export function readAppManifest(path: string): { name: string; permissions: Permissions; events: string[] } {
  const manifest: unknown = parse(readFileSync(path, "utf8"));
  if (typeof manifest !== "object" || manifest === null) throw new Error(`${path} is no App manifest`);
  const { name, default_permissions, default_events } = manifest as Record<string, unknown>;
  if (typeof default_permissions !== "object" || !Array.isArray(default_events)) {
    throw new Error(`${path} lacks default_permissions or default_events`);
  }
  const permissions: Record<string, Access> = { metadata: "read" };
  for (const [permission, access] of Object.entries(default_permissions ?? {})) {
    if (isAccess(access)) permissions[permission] = access;
  }
  return { name: String(name ?? "app"), permissions, events: default_events.map(String) };
}

/** The actor that changes a ref, with its permissions. An App writes with the role `write`. */
export interface Writer {
  account: Account;
  app: App | null;
  role: Role;
  /** The way of the change: over git, by the REST or GraphQL API, or by an asynchronous merge. */
  via: "git" | "api" | "async";
  /** Whether it may change files below `.github/workflows`. */
  mayChangeWorkflows: boolean;
}
