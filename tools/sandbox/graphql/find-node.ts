import { type Caller, canSee } from "../auth/authorize.ts";
import { readOnly } from "../rest/refusal.ts";
import { nodeId } from "../rest/urls.ts";
import { grants } from "../world/account.ts";
import type { PullRequest } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";

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

export const findPull = (world: World, caller: Caller, id: string): PullRequest =>
  findNode(world, caller, id, ({ pulls }) =>
    [...pulls.values()].find((pull) => nodeId("PullRequest", pull.id) === id),
  );

export const repositoryByNodeId = (world: World, caller: Caller, id: string): Repository =>
  findNode(world, caller, id, (one) => (nodeId("Repository", one.id) === id ? one : undefined));

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

/** The refusal of a field. GitHub responds with 200 and an entry in `errors`. */
export class GraphqlRefusal extends Error {
  readonly type: "NOT_FOUND" | "FORBIDDEN" | "UNPROCESSABLE";

  constructor(type: GraphqlRefusal["type"], message: string) {
    super(message);
    this.type = type;
  }
}
