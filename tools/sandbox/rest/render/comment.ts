import {
  type Comment,
  type PullRequest,
  type Reaction,
  type ReviewThread,
  reactionContents,
} from "../../world/pulls/pull-request.ts";
import type { World } from "../../world/world.ts";
import type { Schema } from "../operation.ts";
import { isoTime, isoTimeOrNull, nodeId, type Urls } from "../urls.ts";
import { renderAccount, renderApp } from "./account.ts";
import { authorAssociation, renderLabel } from "./pull-request.ts";

function renderReactionCounts(url: string, reactions: readonly Reaction[]): Schema<"reaction-rollup"> {
  const count = (content: Reaction["content"]) => reactions.filter((one) => one.content === content).length;
  const counts = Object.fromEntries(reactionContents.map((content) => [content, count(content)]));
  return { url: `${url}/reactions`, total_count: reactions.length, ...counts } as Schema<"reaction-rollup">;
}

export function renderComment(world: World, urls: Urls, comment: Comment) {
  const { pull } = comment;
  const url = `${urls.repository(pull.repository)}/issues/comments/${comment.id}`;
  return {
    url,
    id: comment.id,
    node_id: nodeId("IssueComment", comment.id),
    html_url: `${urls.pullHtml(pull)}#issuecomment-${comment.id}`,
    issue_url: urls.issue(pull),
    user: renderAccount(urls, comment.author),
    body: comment.body,
    author_association: authorAssociation(world, pull, comment.author),
    performed_via_github_app: comment.app === null ? null : renderApp(urls, comment.app),
    reactions: renderReactionCounts(url, comment.reactions),
    minimized: comment.minimized === null ? null : { reason: comment.minimized },
    created_at: isoTime(comment.createdAt),
    updated_at: isoTime(comment.updatedAt),
  } satisfies Schema<"issue-comment">;
}

export function renderReaction(urls: Urls, reaction: Reaction): Schema<"reaction"> {
  return {
    id: reaction.id,
    node_id: nodeId("Reaction", reaction.id),
    user: renderAccount(urls, reaction.user),
    content: reaction.content,
    created_at: isoTime(reaction.at),
  };
}

/** Renders the issue of a pull request, as comment webhooks show it. */
export function renderIssue(world: World, urls: Urls, pull: PullRequest) {
  const url = urls.issue(pull);
  const html = urls.pullHtml(pull);
  return {
    url,
    id: pull.issueId,
    node_id: nodeId("Issue", pull.issueId),
    html_url: html,
    repository_url: urls.repository(pull.repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    number: pull.number,
    state: pull.state,
    state_reason: null,
    locked: pull.locked,
    active_lock_reason: null,
    title: pull.title,
    body: pull.body,
    user: renderAccount(urls, pull.author),
    labels: pull.labels.map((label) => renderLabel(urls, pull, label)),
    assignee: null,
    assignees: [],
    milestone: null,
    comments: pull.comments.length,
    author_association: authorAssociation(world, pull, pull.author),
    performed_via_github_app: null,
    reactions: renderReactionCounts(url, []),
    draft: pull.draft,
    pull_request: {
      url: urls.pull(pull),
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      merged_at: isoTimeOrNull(pull.merged?.at ?? null),
    },
    created_at: isoTime(pull.createdAt),
    updated_at: isoTime(pull.updatedAt),
    closed_at: isoTimeOrNull(pull.closedAt),
  };
}

/** Renders the first comment of a conversation. */
export function renderThreadComment(
  world: World,
  urls: Urls,
  { id, pull, review, path, line, body }: ReviewThread,
) {
  const url = `${urls.repository(pull.repository)}/pulls/comments/${id}`;
  const html = `${urls.pullHtml(pull)}#discussion_r${id}`;
  const at = isoTime(review.at);
  return {
    ...{ id, node_id: nodeId("PullRequestReviewComment", id), url, html_url: html, path, body },
    ...{ line, original_line: line, start_line: null, original_start_line: null, start_side: null },
    ...{ position: line, original_position: line, side: "RIGHT", subject_type: "line", diff_hunk: "" },
    ...{ commit_id: review.commit, original_commit_id: review.commit, created_at: at, updated_at: at },
    pull_request_review_id: review.id,
    pull_request_url: urls.pull(pull),
    user: renderAccount(urls, review.author),
    author_association: authorAssociation(world, pull, review.author),
    reactions: renderReactionCounts(url, []),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: urls.pull(pull) } },
  };
}
