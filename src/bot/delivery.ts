import type { Delivery } from "../ports/inbox.ts";

/** What the bot subscribes to; other events are acknowledged and forgotten. */
export const events = [
  "issue_comment.created",
  "issue_comment.edited",
  "pull_request.opened",
  "pull_request.reopened",
  "pull_request.closed",
  "pull_request.synchronize",
  "pull_request.edited",
  "pull_request.labeled",
  "pull_request.unlabeled",
  "pull_request.converted_to_draft",
  "pull_request.ready_for_review",
  "pull_request_review.submitted",
  "pull_request_review.dismissed",
  "pull_request_review_thread.resolved",
  "pull_request_review_thread.unresolved",
  "check_run.completed",
  "status",
  "push",
] as const;

interface Payload {
  readonly action?: string;
  readonly repository?: { readonly full_name?: string };
  readonly issue?: { readonly number?: number };
  readonly pull_request?: { readonly number?: number };
  readonly comment?: { readonly id?: number };
}

/** A webhook as a row of the inbox. */
export function toDelivery(id: string, event: string, payload: object, receivedAt: number): Delivery {
  const facts: Payload = payload;
  const action = facts.action ?? null;
  const repository = (facts.repository?.full_name ?? "").toLowerCase();
  const number = facts.issue?.number ?? facts.pull_request?.number;
  const commentId = event === "issue_comment" && action === "created" ? facts.comment?.id : undefined;
  return {
    id,
    event,
    action,
    subject: commentId === undefined ? null : commentSubject(repository, commentId),
    stream: number === undefined ? `${repository}/${event}` : `${repository}#${number}`,
    payload: JSON.stringify(payload),
    receivedAt,
  };
}

/** The owner of the repository that a stream is about, in lower case; empty when it is about none. */
export function ownerOf(stream: string): string {
  return stream.split("/")[0] ?? "";
}

/** The same for a comment that a webhook tells of and for one that polling finds. */
export function commentSubject(repository: string, commentId: number): string {
  return `${repository.toLowerCase()}/issue_comment/${commentId}`;
}
