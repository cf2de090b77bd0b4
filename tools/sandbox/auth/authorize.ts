import { notFound, Refusal } from "../rest/refusal.ts";
import type { OperationId } from "../schema/operations.ts";
import { grants } from "../world/app-permissions.ts";
import { covers } from "../world/installations.ts";
import { hasRole } from "../world/permission.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import type { Caller } from "./caller.ts";
import { type OperationAccess, operationAccess } from "./operation-access.ts";

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
  return authorizeRepository(world, caller, access, path);
}

function authorizeRepository(
  world: World,
  caller: Caller,
  access: Extract<OperationAccess, object>,
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
