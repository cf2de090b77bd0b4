import { createHash } from "node:crypto";
import { nameKey } from "../../engine/model/names.ts";
import type { Delivery } from "../../store/leased/inbox.ts";

/** The events that the bot subscribes to. Other events are acknowledged and forgotten. */
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
  "pull_request.auto_merge_enabled",
  "pull_request.auto_merge_disabled",
  "pull_request.converted_to_draft",
  "pull_request.ready_for_review",
  "pull_request_review.submitted",
  "pull_request_review.edited",
  "pull_request_review.dismissed",
  "pull_request_review_comment.created",
  "pull_request_review_comment.edited",
  "pull_request_review_thread.resolved",
  "pull_request_review_thread.unresolved",
  "check_run.completed",
  "check_run.rerequested",
  "check_suite.rerequested",
  "status",
  "push",
  "branch_protection_rule.created",
  "branch_protection_rule.deleted",
  "branch_protection_rule.edited",
  "repository_ruleset.created",
  "repository_ruleset.deleted",
  "repository_ruleset.edited",
  "installation.created",
  "installation.deleted",
  "installation.new_permissions_accepted",
  "installation.suspend",
  "installation.unsuspend",
  "github_app_authorization.revoked",
  "installation_repositories.added",
  "installation_repositories.removed",
  "repository.archived",
  "repository.deleted",
  "repository.renamed",
  "repository.transferred",
  "repository.unarchived",
] as const;

/** Their names, without actions. */
export const eventNames: ReadonlySet<string> = new Set(events.map((event) => event.split(".")[0] ?? event));

/** Actions on pull requests that may be commands. */
const commanding: ReadonlySet<string> = new Set([
  "labeled",
  "unlabeled",
  "auto_merge_enabled",
  "auto_merge_disabled",
]);

interface Payload {
  readonly action?: string;
  readonly repository?: { readonly full_name?: string };
  readonly issue?: { readonly number?: number };
  readonly pull_request?: { readonly number?: number; readonly updated_at?: string };
  readonly review?: { readonly submitted_at?: string };
  readonly comment?: { readonly id?: number; readonly created_at?: string; readonly updated_at?: string };
}

/** Converts a webhook to a row of the inbox. */
export function toDelivery(id: string, event: string, payload: object, receivedAt: number): Delivery {
  const facts: Payload = payload;
  const action = facts.action ?? null;
  const repository = nameKey(facts.repository?.full_name ?? "");
  const number = facts.issue?.number ?? facts.pull_request?.number;
  const text = JSON.stringify(payload);
  return {
    id,
    event,
    action,
    subject: subjectOf(event, repository, facts, text),
    stream: number === undefined ? `${repository}/${event}` : `${repository}#${number}`,
    payload: text,
    receivedAt,
  };
}

/**
 * Returns a key that must not be handled twice. It consists of signed facts, because GitHub's signature does not cover the delivery's id: a
 * captured delivery can be repeated with another id. A label that is added twice within a second may have the same key both times. Polling
 * then finds the second one.
 */
function subjectOf(event: string, repository: string, facts: Payload, text: string): string | null {
  const { action } = facts;
  if (event === "issue_comment" && action === "created" && facts.comment?.id !== undefined)
    return commentSubject(facts.comment.id);
  if (commandedAt(event, facts) === null && action !== "rerequested") return null;
  return `${repository}/${event}/${action}/${createHash("sha256").update(text).digest("base64url")}`;
}

/** Returns when the command in a delivery was given, by the code host's clock; null when the delivery can only be a hint. */
export function commandedAt(event: string, payload: object): number | null {
  const { action, comment, review, pull_request: pull }: Payload = payload;
  const at =
    event === "issue_comment" || event === "pull_request_review_comment"
      ? action === "edited"
        ? comment?.updated_at
        : comment?.created_at
      : event === "pull_request" && commanding.has(action ?? "")
        ? pull?.updated_at
        : event === "pull_request_review" && action === "submitted"
          ? review?.submitted_at
          : undefined;
  const ms = at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

/** Returns the owner of the stream's repository, in lower case; empty when there is none. */
export function ownerOf(stream: string): string {
  return stream.split("/")[0] ?? "";
}

/**
 * The key of a comment. It is the same for a webhook and for polling, and after a rename, because the code host numbers the comments of all
 * repositories together.
 */
export function commentSubject(commentId: number): string {
  return `issue_comment/${commentId}`;
}

/** How long handled deliveries are remembered. */
export const forgetAfterMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Older commands are ignored. GitHub redelivers deliveries that are up to three days old (Enterprise Server: seven), so an older one is a
 * replay. Invariant: this is shorter than `forgetAfterMs`, because only the remembered delivery shows that it was handled.
 */
export const maxCommandAgeMs = 8 * 24 * 60 * 60 * 1000;
