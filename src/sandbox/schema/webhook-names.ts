/**
 * The webhooks that the sandbox sends, as GitHub's webhook description names them: the event, then its
 * action.
 */
export const webhookNames = [
  "check-run-completed",
  "check-run-created",
  "check-suite-completed",
  "check-suite-requested",
  "check-suite-rerequested",
  "create",
  "delete",
  "installation-created",
  "installation-repositories-added",
  "issue-comment-created",
  "issue-comment-deleted",
  "issue-comment-edited",
  "pull-request-auto-merge-disabled",
  "pull-request-auto-merge-enabled",
  "pull-request-closed",
  "pull-request-converted-to-draft",
  "pull-request-edited",
  "pull-request-labeled",
  "pull-request-opened",
  "pull-request-ready-for-review",
  "pull-request-reopened",
  "pull-request-review-dismissed",
  "pull-request-review-submitted",
  "pull-request-review-thread-resolved",
  "pull-request-review-thread-unresolved",
  "pull-request-synchronize",
  "pull-request-unlabeled",
  "push",
  "status",
] as const;

export type WebhookName = (typeof webhookNames)[number];
