import { canSee } from "../auth/authorize.ts";
import { accountOf, type Caller } from "../auth/caller.ts";
import { nodeId } from "../rest/urls.ts";
import type { ReviewThread } from "../world/pulls/pull-request.ts";
import { resolveThread } from "../world/pulls/reviews.ts";
import type { World } from "../world/world.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";

export interface ThreadInput {
  clientMutationId?: string;
  threadId: string;
}

/**
 * Resolves or reopens a conversation. In the sandbox only users may do it.
 * https://docs.github.com/en/graphql/reference/mutations#resolvereviewthread
 */
export async function setThreadResolved(
  world: World,
  caller: Caller,
  { clientMutationId, threadId }: ThreadInput,
  isResolved: boolean,
) {
  if (caller.kind !== "user") throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
  await resolveThread(world, threadByNodeId(world, caller, threadId), accountOf(caller), isResolved);
  return { clientMutationId: clientMutationId ?? null };
}

/** Returns the page of threads after a cursor. A cursor is the number of threads before the page. */
export function threadPage(
  threads: readonly ReviewThread[],
  { first = 0, after }: { first?: number; after?: string },
) {
  const from = after === undefined ? 0 : Number(after);
  const end = Math.min(from + first, threads.length);
  const nodes = threads.slice(from, end).map(({ id, isResolved }) => ({ id: threadNodeId(id), isResolved }));
  return { nodes, pageInfo: { endCursor: String(end), hasNextPage: end < threads.length } };
}

export const threadNodeId = (id: number): string => nodeId("PullRequestReviewThread", id);

function threadByNodeId(world: World, caller: Caller, id: string): ReviewThread {
  for (const repository of world.repositories()) {
    if (!canSee(world, caller, repository)) continue;
    for (const { threads } of repository.pulls.values()) {
      const found = threads.find((thread) => threadNodeId(thread.id) === id);
      if (found) return found;
    }
  }
  throw new GraphqlRefusal("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'.`);
}
