import type { ReviewThread } from "../../world/pulls/pull-request.ts";
import type { World } from "../../world/world.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";
import { renderAccount } from "./account.ts";
import { renderReactionCounts } from "./comment.ts";
import { authorAssociation } from "./pull-request.ts";

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
