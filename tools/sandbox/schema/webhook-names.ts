import { JsonSchemas, readDescription } from "./api-description.ts";

/** The webhooks that the sandbox sends, named as in GitHub's webhook description: the event, then its action. */
export const webhookNames = [
  "check-run-completed",
  "check-run-created",
  "check-run-rerequested",
  "check-suite-completed",
  "check-suite-requested",
  "check-suite-rerequested",
  "create",
  "delete",
  "installation-created",
  "installation-deleted",
  "installation-new-permissions-accepted",
  "installation-repositories-added",
  "installation-repositories-removed",
  "installation-suspend",
  "installation-unsuspend",
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
  "repository-archived",
  "repository-deleted",
  "repository-renamed",
  "repository-transferred",
  "repository-unarchived",
  "status",
] as const;

export type WebhookName = (typeof webhookNames)[number];

interface WebhookDescription extends Record<string, unknown> {
  payloads: Record<string, unknown>;
  schemas: Record<string, unknown>;
}

let schemas: JsonSchemas | undefined;

/** Returns the problem of a webhook's payload, or null. */
export function checkPayload(name: WebhookName, payload: unknown): string | null {
  if (schemas === undefined) {
    const description = readDescription<WebhookDescription>("webhooks.subset.json");
    schemas = new JsonSchemas({ payloads: description.payloads, schemas: description.schemas });
  }
  return schemas.check(["payloads", name], payload);
}
