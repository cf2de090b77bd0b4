import { accountOf, appOf, type Caller, writerOf } from "../auth/authorize.ts";
import { nodeId } from "../rest/urls.ts";
import {
  addReaction as add,
  createComment,
  editComment,
  mayChange,
  mayComment,
  problemOfBody,
} from "../world/comments.ts";
import type { Comment, Reaction } from "../world/pulls/pull-request.ts";
import type { World } from "../world/world.ts";
import { findNode, findPull, GraphqlRefusal, requirePermission, requireWritable } from "./find-node.ts";

/**
 * Adds a comment to a pull request.
 * https://docs.github.com/en/graphql/reference/mutations#addcomment
 */
export async function addComment(
  world: World,
  caller: Caller,
  { subjectId, body }: { subjectId: string; body: string },
) {
  const pull = findPull(world, caller, subjectId);
  requirePermission(caller, "issues", "pull_requests");
  requireWritable(pull.repository);
  checkBody(body);
  if (!mayComment(pull, writerOf(world, caller, pull.repository)))
    throw new GraphqlRefusal("FORBIDDEN", "Unable to create comment because issue is locked.");
  const author = accountOf(caller);
  const comment = await createComment(world, pull, { author, app: appOf(caller), body });
  return { commentEdge: { node: { id: commentNodeId(comment) } } };
}

/** https://docs.github.com/en/graphql/reference/mutations#updateissuecomment */
export async function updateIssueComment(
  world: World,
  caller: Caller,
  { id, body }: { id: string; body: string },
) {
  const comment = findComment(world, caller, id);
  requirePermission(caller, "issues", "pull_requests");
  requireWritable(comment.pull.repository);
  if (!mayChange(comment, writerOf(world, caller, comment.pull.repository)))
    throw new GraphqlRefusal("FORBIDDEN", "Must have admin rights to Repository.");
  checkBody(body);
  await editComment(world, comment, accountOf(caller), body);
  return { issueComment: { id } };
}

/**
 * Hides a comment behind the reason for it. Nobody is notified, and no webhook is sent.
 * https://docs.github.com/en/graphql/reference/mutations#minimizecomment
 */
export function minimizeComment(
  world: World,
  caller: Caller,
  { subjectId, classifier }: { subjectId: string; classifier: string },
): void {
  const comment = findComment(world, caller, subjectId);
  requirePermission(caller, "issues", "pull_requests");
  requireWritable(comment.pull.repository);
  if (!mayChange(comment, writerOf(world, caller, comment.pull.repository)))
    throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
  comment.minimized = classifier.toLowerCase().replace("_", "-");
}

function findComment(world: World, caller: Caller, id: string): Comment {
  return findNode(world, caller, id, ({ comments }) =>
    [...comments.values()].find((comment) => commentNodeId(comment) === id),
  );
}

export const commentNodeId = ({ id }: Comment): string => nodeId("IssueComment", id);

function checkBody(body: string): void {
  const problem = problemOfBody(body);
  if (problem !== null) throw new GraphqlRefusal("UNPROCESSABLE", `Body ${problem.replace(/^body /, "")}`);
}

interface AddReactionInput {
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
export function addReaction(world: World, caller: Caller, { subjectId, content }: AddReactionInput): void {
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
}
