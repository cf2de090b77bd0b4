import { notFound, Refusal } from "../rest/refusal.ts";
import { type OperationAccess, type OperationId, operationAccess } from "../schema/operations.ts";
import {
  type Account,
  type App,
  grants,
  hasRole,
  type Installation,
  type Permissions,
} from "../world/account.ts";
import { covers } from "../world/installations.ts";
import type { Repository } from "../world/repository.ts";
import type { Writer } from "../world/rules/branch-rules.ts";
import type { World } from "../world/world.ts";

/** Whether the caller may know that the repository exists. All repositories of the sandbox are private. */
export function canSee(world: World, caller: Caller, repository: Repository): boolean {
  if (caller.kind === "user") return hasRole(world.roleIn(repository, caller.account), "read");
  if (caller.kind !== "installation") return false;
  const narrowedAway = caller.repositories !== null && !caller.repositories.has(repository.id);
  return covers(caller.installation, repository) && !narrowedAway;
}

/**
 * Returns the repository of a repository's operation, or null for other operations.
 * @throws a 401 refusal without (the right kind of) authentication, 404 for a repository that the caller may not see, 403 for a
 * missing permission
 */
export function authorize(
  world: World,
  caller: Caller,
  operationId: OperationId,
  path: Record<string, string>,
): Repository | null {
  const access = operationAccess[operationId];
  if (access === "app") {
    if (caller.kind !== "app") throw new Refusal(401, "A JSON web token could not be decoded");
    return null;
  }
  if (caller.kind === "anonymous") throw new Refusal(401, "Requires authentication");
  if (access === "installation") {
    if (caller.kind === "installation") return null;
    throw new Refusal(
      403,
      "You must authenticate with an installation access token in order to list repositories.",
    );
  }
  if (access === "user") {
    if (caller.kind === "user") return null;
    throw new Refusal(403, "Resource not accessible by integration");
  }
  if (caller.kind === "app") throw new Refusal(401, "Bad credentials");
  if (access === "anyone") return null;
  if ("organisation" in access) {
    authorizeMember(world, caller, access.organisation, path.org ?? "");
    return null;
  }
  return authorizeRepository(world, caller, access, path);
}

/** @throws a 404 refusal for an account that is no organisation, 403 for strangers to it and for a missing permission */
function authorizeMember(
  world: World,
  caller: Exclude<Caller, { kind: "anonymous" | "app" }>,
  permission: string,
  login: string,
): void {
  const organisation = world.account(login);
  if (organisation?.type !== "Organization") throw notFound();
  if (caller.kind === "user") {
    if (organisation.members?.get(caller.account)?.state === "active") return;
    throw new Refusal(403, `You must be a member of ${organisation.login} to see membership information.`);
  }
  const isGranted = grants(caller.permissions, permission, "read");
  if (caller.installation.account !== organisation || !isGranted)
    throw new Refusal(403, "Resource not accessible by integration");
}

function authorizeRepository(
  world: World,
  caller: Caller,
  access: Extract<OperationAccess, { user: unknown }>,
  path: Record<string, string>,
): Repository {
  const repository = world.repository(path.owner ?? "", path.repo ?? "");
  if (repository === null || !canSee(world, caller, repository)) throw notFound();
  if (caller.kind === "installation") {
    const granted = access.app.some(([permission, level]) => grants(caller.permissions, permission, level));
    if (!granted) throw new Refusal(403, "Resource not accessible by integration");
  }
  if (caller.kind === "user") {
    if (access.user === null) throw new Refusal(403, "You must authenticate via a GitHub App.");
    if (!hasRole(world.roleIn(repository, caller.account), access.user)) {
      throw access.user === "admin" ? notFound() : new Refusal(403, "Must have push access to repository");
    }
  }
  return repository;
}

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
