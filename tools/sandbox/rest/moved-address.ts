import { canSee } from "../auth/authorize.ts";
import type { Caller } from "../auth/caller.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import type { Route } from "./route.ts";

const BY_ID = /^\/repositories\/(\d+)(?=\/|$)/;
const BY_NAME = /^\/repos\/[^/]+\/[^/]+/;
const BY_BRANCH = /^(\/repos\/[^/]+\/[^/]+)\/branches\/[^/]+/;

/**
 * Converts a path that names a repository by its id, as GitHub's redirects do, to the path by owner and name. Null for another
 * path.
 */
export function pathById(world: World, pathname: string): string | null {
  const [, id] = BY_ID.exec(pathname) ?? [];
  const repository = id === undefined ? null : world.repositoryById(Number(id));
  return repository && pathname.replace(BY_ID, `/repos/${repository.fullName}`);
}

/**
 * Returns a function that converts the path of a request to the new name of a renamed repository or branch. Null when the request
 * does not use a former name.
 */
export function newAddress(
  world: World,
  caller: Caller,
  { path, operationId }: Route,
): ((pathname: string) => string) | null {
  const { owner, repo, branch } = path;
  if (owner === undefined || repo === undefined) return null;
  const former = world.formerly(owner, repo);
  if (former !== null && mayKnow(world, caller, former))
    return (pathname) => pathname.replace(BY_NAME, `/repositories/${former.id}`);
  const repository = world.repository(owner, repo);
  const renamed = branch === undefined ? undefined : repository?.renamedBranches.get(branch);
  if (renamed === undefined || operationId === "repos/get-branch-rules" || !repository) return null;
  if (!mayKnow(world, caller, repository)) return null;
  return (pathname) => pathname.replace(BY_BRANCH, `$1/branches/${encodeURIComponent(renamed)}`);
}

function mayKnow(world: World, caller: Caller, repository: Repository): boolean {
  if (caller.kind !== "app") return canSee(world, caller, repository);
  return world.installationOf(caller.app, repository.owner) !== null;
}
