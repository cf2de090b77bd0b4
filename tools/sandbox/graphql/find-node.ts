import { canSee } from "../auth/authorize.ts";
import type { Caller } from "../auth/caller.ts";
import { readOnly } from "../rest/refusal.ts";
import { grants } from "../world/app-permissions.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";

/**
 * Finds the node of a global id in the repositories that the caller can see.
 * @throws {GraphqlRefusal} when no such node is found
 */
export function findNode<T>(
  world: World,
  caller: Caller,
  id: string,
  find: (repository: Repository) => T | undefined,
): T {
  for (const repository of world.repositories()) {
    const found = canSee(world, caller, repository) ? find(repository) : undefined;
    if (found !== undefined) return found;
  }
  throw new GraphqlRefusal("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'.`);
}

/**
 * Users always pass. An App's installation needs one of the permissions.
 * @throws {GraphqlRefusal} otherwise
 */
export function requirePermission(caller: Caller, ...permissions: readonly string[]): void {
  if (caller.kind === "user") return;
  const isGranted =
    caller.kind === "installation" &&
    permissions.some((permission) => grants(caller.permissions, permission, "write"));
  if (!isGranted) throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
}

/** @throws {GraphqlRefusal} when the repository is archived */
export function requireWritable({ archived }: Repository): void {
  if (archived) throw new GraphqlRefusal("FORBIDDEN", readOnly().message);
}
