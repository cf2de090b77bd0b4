import { diffSize } from "../../git/diff.ts";
import { type Account, hasRole, type Writer } from "../../world/account.ts";
import { mergeableState } from "../../world/pulls/mergeability.ts";
import { isOpen, type Label, type PullRequest, type Review } from "../../world/pulls/pull-request.ts";
import { positionOf, stackOf } from "../../world/pulls/stack.ts";
import type { Repository } from "../../world/repository.ts";
import type { World } from "../../world/world.ts";
import type { Schema } from "../operation.ts";
import { isoTime, isoTimeOrNull, nodeId, type Urls } from "../urls.ts";
import { renderAccount } from "./account.ts";
import { renderRepository } from "./repository.ts";

export function renderLabel(urls: Urls, pull: PullRequest, label: Label) {
  return {
    id: label.id,
    node_id: nodeId("Label", label.id),
    url: `${urls.repository(pull.repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    // In a list, a label's description must not be null, unlike in a single pull request.
    description: "",
  } satisfies Schema<"label">;
}

export function authorAssociation(
  world: World,
  pull: PullRequest,
  account: Account,
): Schema<"author-association"> {
  if (account === pull.repository.owner) return "OWNER";
  if (pull.repository.collaborators.has(account.login)) return "COLLABORATOR";
  return hasRole(world.roleIn(pull.repository, account), "read") ? "MEMBER" : "NONE";
}

/** Renders a pull request in the form of lists. */
export function renderSimplePull(world: World, urls: Urls, pull: PullRequest) {
  const { repository } = pull;
  const url = urls.pull(pull);
  const html = urls.pullHtml(pull);
  const issue = urls.issue(pull);
  // Some fields are null for a deleted fork, although the published types say otherwise.
  const side = ({ ref, sha }: { ref: string; sha: string }, of: Repository) => ({
    label: (of.owner.isDeleted ? null : `${of.owner.login}:${ref}`) as string,
    ref,
    sha,
    user: (of.owner.isDeleted ? null : renderAccount(urls, of.owner)) as ReturnType<typeof renderAccount>,
    repo: (of.deleted ? null : renderRepository(urls, of)) as ReturnType<typeof renderRepository>,
  });
  const links = {
    comments_url: `${issue}/comments`,
    commits_url: `${url}/commits`,
    issue_url: issue,
    review_comment_url: `${urls.repository(repository)}/pulls/comments{/number}`,
    review_comments_url: `${url}/comments`,
    statuses_url: `${urls.repository(repository)}/statuses/${pull.head.sha}`,
  };
  return {
    ...links,
    url,
    id: pull.id,
    node_id: nodeId("PullRequest", pull.id),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    number: pull.number,
    state: pull.state,
    locked: pull.locked,
    active_lock_reason: null,
    title: pull.title,
    user: renderAccount(urls, pull.author),
    body: pull.body,
    labels: pull.labels.map((label) => renderLabel(urls, pull, label)),
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    author_association: authorAssociation(world, pull, pull.author),
    auto_merge: pull.autoMerge && {
      enabled_by: renderAccount(urls, pull.autoMerge.by),
      merge_method: pull.autoMerge.method,
      commit_title: "",
      commit_message: "",
    },
    ...renderStack(pull),
    draft: pull.draft,
    head: side(pull.head, pull.head.repository),
    base: side(pull.base, repository),
    merge_commit_sha: pull.mergeCommitSha,
    created_at: isoTime(pull.createdAt),
    updated_at: isoTime(pull.updatedAt),
    closed_at: isoTimeOrNull(pull.closedAt),
    merged_at: isoTimeOrNull(pull.merged?.at ?? null),
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issue },
      comments: { href: links.comments_url },
      review_comments: { href: links.review_comments_url },
      review_comment: { href: links.review_comment_url },
      commits: { href: links.commits_url },
      statuses: { href: links.statuses_url },
    },
  } satisfies Schema<"pull-request-simple">;
}

/** Only for a pull request in a stack. */
function renderStack(pull: PullRequest) {
  const stack = stackOf(pull);
  if (stack === null) return {};
  const { id, number, base: ref } = stack;
  const base = { ref, sha: pull.repository.branch(ref) ?? pull.base.sha };
  return { stack: { id, number, size: stack.pulls.length, position: positionOf(pull), base } };
}

/** Counts the commits, lines and files that the pull request changes. */
async function changeCounts(pull: PullRequest) {
  const { git } = pull.repository;
  // After the merge the base contains the head, so only its former tip shows what the pull request changed.
  const base = isOpen(pull) ? (pull.repository.branch(pull.base.ref) ?? pull.base.sha) : pull.base.sha;
  const { mergeBase, onlyRight } = await git.graph.divergence(base, pull.head.sha);
  const { additions, deletions, files } = await diffSize(git, mergeBase?.sha ?? base, pull.head.sha);
  return { commits: onlyRight.length, additions, deletions, changed_files: files };
}

/**
 * Renders a pull request in full, including the fields that GitHub computes.
 *
 * @param viewer the reader of the response; null = all receivers of a webhook
 */
export async function renderPull(world: World, urls: Urls, pull: PullRequest, viewer: Writer | null) {
  const { mergeability } = pull;
  const mergeable = mergeability.state === "unknown" ? null : mergeability.state === "clean";
  const rebaseable = mergeability.state === "clean" ? mergeability.rebaseable : mergeable;
  return {
    ...renderSimplePull(world, urls, pull),
    merged: pull.merged !== null,
    merged_by: pull.merged === null ? null : renderAccount(urls, pull.merged.by),
    mergeable: isOpen(pull) ? mergeable : null,
    rebaseable: isOpen(pull) ? rebaseable : null,
    mergeable_state: await mergeableState(pull, viewer),
    comments: pull.comments.length,
    review_comments: 0,
    maintainer_can_modify: false,
    ...(await changeCounts(pull)),
  } satisfies Schema<"pull-request">;
}

export function renderReview(world: World, urls: Urls, pull: PullRequest, review: Review) {
  const html = `${urls.pullHtml(pull)}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: nodeId("PullRequestReview", review.id),
    user: review.author.isDeleted ? null : renderAccount(urls, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: urls.pull(pull),
    author_association: authorAssociation(world, pull, review.author),
    _links: { html: { href: html }, pull_request: { href: urls.pull(pull) } },
    submitted_at: isoTime(review.at),
    commit_id: review.commit,
  } satisfies Schema<"pull-request-review">;
}
