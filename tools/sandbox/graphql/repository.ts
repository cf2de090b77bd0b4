import { canSee } from "../auth/authorize.ts";
import type { Caller } from "../auth/caller.ts";
import { nodeId, type Urls } from "../rest/urls.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import { objectAt } from "./git-object.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";
import { findPullRequest, findRef } from "./pull-request.ts";

/** @param show returns the repository in its current or a past state */
export function findRepository(
  world: World,
  urls: Urls,
  caller: Caller,
  { owner, name }: { owner: string; name: string },
  show: (repository: Repository) => Repository,
) {
  // `followRenames` is true by default. The schema subset does not have that argument.
  const repository = world.repository(owner, name) ?? world.formerly(owner, name);
  if (repository === null || !canSee(world, caller, repository)) {
    const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
    throw new GraphqlRefusal("NOT_FOUND", message);
  }
  const shown = show(repository);
  return {
    id: nodeId("Repository", repository.id),
    object: (args: { expression?: string }) => objectAt(shown, caller, args),
    pullRequest: ({ number }: { number: number }) => findPullRequest(world, urls, caller, shown, number),
    /** Only open ones, which is all that is asked for. */
    pullRequests: async ({ baseRefName, first = 0 }: { baseRefName?: string; first?: number }) => {
      const pulls = shown.openPulls(({ base }) => baseRefName === undefined || base.ref === baseRefName);
      const numbers = pulls.slice(0, first).map(({ number }) => number);
      return { nodes: numbers.map((number) => findPullRequest(world, urls, caller, shown, number)) };
    },
    ref: ({ qualifiedName }: { qualifiedName: string }) =>
      findRef(shown, qualifiedName.replace(/^refs\/heads\//, "")),
  };
}

export function repositoryByNodeId(world: World, caller: Caller, id: string): Repository {
  const repository = world.repositories().find((one) => nodeId("Repository", one.id) === id);
  if (repository === undefined || !canSee(world, caller, repository)) {
    throw new GraphqlRefusal("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'.`);
  }
  return repository;
}
