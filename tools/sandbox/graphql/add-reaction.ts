import { accountOf, type Caller } from "../auth/caller.ts";
import { nodeId } from "../rest/urls.ts";
import { addReaction as add } from "../world/comments.ts";
import type { Reaction } from "../world/pulls/pull-request.ts";
import type { World } from "../world/world.ts";
import { findNode, requirePermission, requireWritable } from "./find-node.ts";
import { commentNodeId } from "./issue-comment.ts";

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
 * Adds a reaction to a comment or a review. Idempotent.
 * https://docs.github.com/en/graphql/reference/mutations#addreaction
 */
export function addReaction(
  world: World,
  caller: Caller,
  { clientMutationId, subjectId, content }: AddReactionInput,
) {
  const { subject, pull } = findNode(world, caller, subjectId, ({ comments, pulls }) => {
    const comment = [...comments.values()].find((one) => commentNodeId(one) === subjectId);
    if (comment) return { subject: comment, pull: comment.pull };
    return [...pulls.values()]
      .flatMap((pull) => pull.reviews.map((subject) => ({ subject, pull })))
      .find(({ subject }) => nodeId("PullRequestReview", subject.id) === subjectId);
  });
  requirePermission(caller, "issues", "pull_requests");
  requireWritable(pull.repository);
  add(world, subject, accountOf(caller), contents[content]);
  return { clientMutationId: clientMutationId ?? null };
}
