import { accountOf, type Caller } from "../auth/caller.ts";
import { addReaction as add } from "../world/comments.ts";
import type { Reaction } from "../world/pulls/pull-request.ts";
import type { World } from "../world/world.ts";
import { requirePermission, requireWritable } from "./find-node.ts";
import { findComment } from "./issue-comment.ts";

export interface AddReactionInput {
  clientMutationId?: string;
  subjectId: string;
  content: keyof typeof contents;
}

/** GraphQL's names of the reactions, and REST's names. */
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
 * Adds a reaction to a comment. Idempotent.
 * https://docs.github.com/en/graphql/reference/mutations#addreaction
 */
export function addReaction(
  world: World,
  caller: Caller,
  { clientMutationId, subjectId, content }: AddReactionInput,
) {
  const comment = findComment(world, caller, subjectId);
  requirePermission(caller, "issues", "pull_requests");
  requireWritable(comment.pull.repository);
  add(world, comment, accountOf(caller), contents[content]);
  return { clientMutationId: clientMutationId ?? null };
}
