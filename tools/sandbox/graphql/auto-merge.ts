import { canSee } from "../auth/authorize.ts";
import { accountOf, type Caller } from "../auth/caller.ts";
import { nodeId } from "../rest/urls.ts";
import { enableAutoMerge } from "../world/pulls/auto-merge.ts";
import { setAutoMerge } from "../world/pulls/pull-lifecycle.ts";
import type { PullRequest } from "../world/pulls/pull-request.ts";
import type { World } from "../world/world.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";

export interface AutoMergeInput {
  clientMutationId?: string;
  pullRequestId: string;
  mergeMethod?: "MERGE" | "SQUASH" | "REBASE";
}

const methods = { MERGE: "merge", SQUASH: "squash", REBASE: "rebase" } as const;

/**
 * Enables or disables auto-merge. In the sandbox only users may do it.
 * https://docs.github.com/en/graphql/reference/mutations#enablepullrequestautomerge
 */
export async function changeAutoMerge(
  world: World,
  caller: Caller,
  { clientMutationId, pullRequestId, mergeMethod = "MERGE" }: AutoMergeInput,
  isEnabled: boolean,
) {
  const pull = pullByNodeId(world, caller, pullRequestId);
  if (caller.kind !== "user" || !pull.repository.isWriter(accountOf(caller)))
    throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
  const by = accountOf(caller);
  if (isEnabled) {
    const refusal = await enableAutoMerge(world, pull, by, methods[mergeMethod]);
    if (refusal !== null) throw new GraphqlRefusal("UNPROCESSABLE", refusal);
  } else await setAutoMerge(world, pull, by, null);
  return { clientMutationId: clientMutationId ?? null };
}

function pullByNodeId(world: World, caller: Caller, id: string): PullRequest {
  for (const repository of world.repositories()) {
    if (!canSee(world, caller, repository)) continue;
    for (const pull of repository.pulls.values()) if (nodeId("PullRequest", pull.id) === id) return pull;
  }
  throw new GraphqlRefusal("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'.`);
}
