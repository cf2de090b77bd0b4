import { accountOf, appOf, writerOf } from "../../auth/authorize.ts";
import {
  addReaction,
  createComment,
  deleteComment,
  editComment,
  mayChange,
  mayComment,
  problemOfBody,
} from "../../world/comments.ts";
import { commentOnIssue } from "../../world/issue.ts";
import type { Comment } from "../../world/pulls/pull-request.ts";
import { answerPage, pullOrRefuse } from "../lookups.ts";
import type { Call, Handlers } from "../operation.ts";

import { notFound, Refusal, validationFailed } from "../refusal.ts";
import { renderComment, renderReaction } from "../render/comment.ts";
import { renderIssueComment } from "../render/issue.ts";

type OfOneComment =
  | "issues/get-comment"
  | "issues/update-comment"
  | "issues/delete-comment"
  | "reactions/create-for-issue-comment"
  | "reactions/list-for-issue-comment";

function commentOrRefuse({ repository, path }: Call<OfOneComment>): Comment {
  const comment = repository.comments.get(Number(path.comment_id));
  if (comment === undefined) throw notFound();
  return comment;
}

function checkBody(body: string): void {
  const message = problemOfBody(body);
  if (message !== null)
    throw validationFailed({ resource: "IssueComment", field: "body", code: "custom", message });
}

function checkMayChange(
  call: Call<"issues/update-comment" | "issues/delete-comment">,
  comment: Comment,
): void {
  if (!mayChange(comment, writerOf(call.world, call.caller, call.repository)))
    throw new Refusal(403, "Must have admin rights to Repository.");
}

const updatedSince = (since: string | undefined) => (comment: { updatedAt: Date }) =>
  since === undefined || comment.updatedAt.getTime() >= new Date(since).getTime();

export const issueCommentOperations = {
  "issues/create-comment": async ({ world, urls, caller, path, body, repository }) => {
    const author = accountOf(caller);
    const issue = repository.issues.get(path.issue_number);
    if (issue !== undefined) {
      checkBody(body.body);
      const comment = commentOnIssue(world, issue, { author, app: appOf(caller), body: body.body });
      const rendered = renderIssueComment(world, urls, comment);
      return { status: 201, body: rendered, headers: { location: rendered.url } };
    }
    const pull = pullOrRefuse(repository, path.issue_number);
    checkBody(body.body);
    if (!mayComment(pull, writerOf(world, caller, repository)))
      throw new Refusal(403, "Unable to create comment because issue is locked.");
    const comment = await createComment(world, pull, { author, app: appOf(caller), body: body.body });
    const rendered = renderComment(world, urls, comment);
    return { status: 201, body: rendered, headers: { location: rendered.url } };
  },

  "issues/get-comment": (call) => ({
    status: 200,
    body: renderComment(call.world, call.urls, commentOrRefuse(call)),
  }),

  "issues/update-comment": async (call) => {
    const comment = commentOrRefuse(call);
    checkMayChange(call, comment);
    checkBody(call.body.body);
    await editComment(call.world, comment, accountOf(call.caller), call.body.body);
    return { status: 200, body: renderComment(call.world, call.urls, comment) };
  },

  "issues/delete-comment": async (call) => {
    const comment = commentOrRefuse(call);
    checkMayChange(call, comment);
    await deleteComment(call.world, comment, accountOf(call.caller));
    return { status: 204, body: undefined };
  },

  "issues/list-comments": (call) => {
    const { world, urls, query, repository } = call;
    const issue = repository.issues.get(call.path.issue_number);
    if (issue !== undefined) {
      return answerPage(call, issue.comments.filter(updatedSince(query.since)), (one) =>
        renderIssueComment(world, urls, one),
      );
    }
    const { comments } = pullOrRefuse(repository, call.path.issue_number);
    return answerPage(call, comments.filter(updatedSince(query.since)), (comment) =>
      renderComment(world, urls, comment),
    );
  },

  "issues/list-comments-for-repo": (call) => {
    const { world, urls, query, repository } = call;
    const comments = [...repository.comments.values()].filter(updatedSince(query.since));
    if (query.sort !== undefined) {
      const time = query.sort === "updated" ? "updatedAt" : "createdAt";
      const sign = query.direction === "asc" ? 1 : -1;
      comments.sort((a, b) => sign * (a[time].getTime() - b[time].getTime() || a.id - b.id));
    }
    return answerPage(call, comments, (comment) => renderComment(world, urls, comment));
  },

  "reactions/create-for-issue-comment": (call) => {
    const comment = commentOrRefuse(call);
    const { reaction, created } = addReaction(call.world, comment, accountOf(call.caller), call.body.content);
    const body = renderReaction(call.urls, reaction);
    return created ? { status: 201, body } : { status: 200, body };
  },

  "reactions/list-for-issue-comment": (call) => {
    const { content } = call.query;
    const reactions = commentOrRefuse(call).reactions.filter(
      (one) => content === undefined || one.content === content,
    );
    return answerPage(call, reactions, (one) => renderReaction(call.urls, one));
  },
} satisfies Handlers;
