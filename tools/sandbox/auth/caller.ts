import { Refusal } from "../rest/refusal.ts";
import type { Account, App, Installation } from "../world/account.ts";
import { grants, type Permissions } from "../world/app-permissions.ts";
import type { Repository } from "../world/repository.ts";
import type { Writer } from "../world/rules/branch-rules.ts";
import type { World } from "../world/world.ts";

/** The origin of a request. */
export type Caller =
  | { kind: "anonymous" }
  | { kind: "user"; account: Account }
  /** An App that authenticates with its own key (a JWT). It may only ask about itself and its installations. */
  | { kind: "app"; app: App }
  /**
   * An App that authenticates with an installation's token. `repositories`: ids of the repositories that the token is narrowed
   * to; null = all.
   */
  | {
      kind: "installation";
      installation: Installation;
      permissions: Permissions;
      repositories: ReadonlySet<number> | null;
    };

/** Returns the account that GitHub shows for the caller's actions. */
export function accountOf(caller: Caller): Account {
  if (caller.kind === "user") return caller.account;
  if (caller.kind === "installation") return caller.installation.app.bot;
  throw new Refusal(401, "Requires authentication");
}

/** Returns the acting App, or null. */
export function appOf(caller: Caller): App | null {
  if (caller.kind === "app") return caller.app;
  return caller.kind === "installation" ? caller.installation.app : null;
}

export const nameOf = (caller: Caller): string | null =>
  caller.kind === "user" ? caller.account.login : (appOf(caller)?.slug ?? null);

export function writerOf(
  world: World,
  caller: Caller,
  repository: Repository,
  via: Writer["via"] = "api",
): Writer {
  const account = accountOf(caller);
  const role = caller.kind === "user" ? world.roleIn(repository, account) : "write";
  const mayChangeWorkflows =
    caller.kind !== "installation" || grants(caller.permissions, "workflows", "write");
  return { account, app: appOf(caller), role, via, mayChangeWorkflows };
}
