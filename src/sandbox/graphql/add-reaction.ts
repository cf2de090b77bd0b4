import { canSee } from "../auth/authorize.ts";
import { accountOf, type Caller } from "../auth/caller.ts";
import { readOnly } from "../rest/refusal.ts";
import { nodeId } from "../rest/urls.ts";
import { grants } from "../world/app-permissions.ts";
import { addReaction as add } from "../world/comments.ts";
import type { Comment, Reaction } from "../world/pull-request.ts";
import type { World } from "../world/world.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";

export interface AddReactionInput {
  clientMutationId?: string;
  subjectId: string;
  content: keyof typeof contents;
}

/** GraphQL's names of what REST writes with signs. */
const contents = {
  CONFUSED: "confused",
  EYES: "eyes",
  HEART: "heart",
  HOORAY: "hooray",
  LAUGH: "laugh",
  ROCKET: "rocket",
  THUMBS_DOWN: "-1",
  THUMBS_UP: "+1",
} as const satisfies Record<string, Reaction["content"]>;

/**
 * A reaction to a comment; repeated, nothing changes.
 * https://docs.github.com/en/graphql/reference/mutations#addreaction
 */
export function addReaction(
  world: World,
  caller: Caller,
  { clientMutationId, subjectId, content }: AddReactionInput,
) {
  const comment = commentByNodeId(world, caller, subjectId);
  const isAllowed =
    caller.kind === "user" ||
    (caller.kind === "installation" &&
      (grants(caller.permissions, "issues", "write") ||
        grants(caller.permissions, "pull_requests", "write")));
  if (!isAllowed) throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
  if (comment.pull.repository.archived) throw new GraphqlRefusal("FORBIDDEN", readOnly().message);
  add(world, comment, accountOf(caller), contents[content]);
  return { clientMutationId: clientMutationId ?? null };
}

function commentByNodeId(world: World, caller: Caller, id: string): Comment {
  for (const repository of world.repositories()) {
    if (!canSee(world, caller, repository)) continue;
    for (const comment of repository.comments.values()) {
      if (nodeId("IssueComment", comment.id) === id) return comment;
    }
  }
  throw new GraphqlRefusal("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'.`);
}
