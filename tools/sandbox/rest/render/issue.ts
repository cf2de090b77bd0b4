import { hasRole } from "../../world/account.ts";
import type { Issue, IssueComment } from "../../world/issue.ts";
import type { Label } from "../../world/pulls/pull-request.ts";
import type { World } from "../../world/world.ts";
import type { Schema } from "../operation.ts";
import { isoTime, isoTimeOrNull, nodeId, type Urls } from "../urls.ts";
import { renderAccount, renderApp } from "./account.ts";

function association(world: World, { repository }: Issue, account: Issue["author"]) {
  if (account === repository.owner) return "OWNER";
  if (repository.collaborators.has(account.login)) return "COLLABORATOR";
  return hasRole(world.roleIn(repository, account), "read") ? "MEMBER" : "NONE";
}

const urlOf = (urls: Urls, { repository, number }: Issue) =>
  `${urls.repository(repository)}/issues/${number}`;
const htmlOf = (urls: Urls, { repository, number }: Issue) => `${urls.html(repository)}/issues/${number}`;

const renderLabel = (urls: Urls, { repository }: Issue, label: Label) => ({
  id: label.id,
  node_id: nodeId("Label", label.id),
  url: `${urls.repository(repository)}/labels/${encodeURIComponent(label.name)}`,
  name: label.name,
  color: label.color,
  default: false,
  description: null,
});

/** Renders an issue that is not a pull request. */
export function renderPlainIssue(world: World, urls: Urls, issue: Issue) {
  const url = urlOf(urls, issue);
  return {
    url,
    id: issue.id,
    node_id: nodeId("Issue", issue.id),
    html_url: htmlOf(urls, issue),
    repository_url: urls.repository(issue.repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    number: issue.number,
    state: issue.state,
    state_reason: issue.stateReason,
    locked: false,
    active_lock_reason: null,
    title: issue.title,
    body: issue.body,
    user: renderAccount(urls, issue.author),
    labels: issue.labels.map((label) => renderLabel(urls, issue, label)),
    assignee: null,
    assignees: [],
    milestone: null,
    comments: issue.comments.length,
    author_association: association(world, issue, issue.author),
    performed_via_github_app: issue.app === null ? null : renderApp(urls, issue.app),
    created_at: isoTime(issue.createdAt),
    updated_at: isoTime(issue.updatedAt),
    closed_at: isoTimeOrNull(issue.closedAt),
  } satisfies Schema<"issue">;
}

export function renderIssueComment(world: World, urls: Urls, comment: IssueComment) {
  const { issue } = comment;
  return {
    url: `${urls.repository(issue.repository)}/issues/comments/${comment.id}`,
    id: comment.id,
    node_id: nodeId("IssueComment", comment.id),
    html_url: `${htmlOf(urls, issue)}#issuecomment-${comment.id}`,
    issue_url: urlOf(urls, issue),
    user: renderAccount(urls, comment.author),
    body: comment.body,
    author_association: association(world, issue, comment.author),
    performed_via_github_app: comment.app === null ? null : renderApp(urls, comment.app),
    created_at: isoTime(comment.createdAt),
    updated_at: isoTime(comment.updatedAt),
  } satisfies Schema<"issue-comment">;
}
