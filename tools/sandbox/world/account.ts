import type { Signature } from "../git/git-object.ts";
import type { Permissions } from "./app-permissions.ts";
import type { Ruleset } from "./rules/ruleset.ts";

/** An object with a login: a person, an organisation, or the bot account of an App. */
export interface Account {
  id: number;
  login: string;
  type: "User" | "Organization" | "Bot";
  createdAt: Date;
  /** Only for an organisation: rulesets for all its repositories. */
  rulesets?: Ruleset[];
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
