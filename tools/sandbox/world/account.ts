import type { Signature } from "../git/git-object.ts";
import type { Permissions } from "./app-permissions.ts";
import type { Ruleset } from "./ruleset.ts";

/** What has a login: a person, an organisation, or the bot that an App acts as. */
export interface Account {
  id: number;
  login: string;
  type: "User" | "Organization" | "Bot";
  createdAt: Date;
  /** Of an organisation, for all of its repositories. */
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
  /** Webhook events that it subscribes to, besides those that come by themselves. */
  events: readonly string[];
  createdAt: Date;
}

/** An App on one account. */
export interface Installation {
  id: number;
  app: App;
  account: Account;
  createdAt: Date;
  /** What the account's owner has granted: not what the App asks for since. */
  permissions: Permissions;
  suspendedAt: Date | null;
  /** Ids of the repositories that it is for; null: all of the account's. */
  selected: Set<number> | null;
  /** It was uninstalled: its tokens are worth nothing. */
  removed: boolean;
}

/** How an account signs a commit that GitHub makes for it. */
export const signatureOf = (account: Account, date: Date): Signature => ({
  name: account.login,
  email: `${account.id}+${account.login}@users.noreply.github.com`,
  date,
});

/** Who committed what GitHub's web interface and merge API wrote. */
export const webFlow = (date: Date): Signature => ({ name: "GitHub", email: "noreply@github.com", date });
