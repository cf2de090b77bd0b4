import type { WebhookFormat } from "../../store/webhooks/webhook-endpoints.ts";

export const webhookFormats = ["json", "slack", "teams"] as const satisfies readonly WebhookFormat[];

/** All events that an endpoint can receive. */
export const eventNames = [
  "pull_request.submitted",
  "pull_request.queued",
  "pull_request.testing",
  "pull_request.pending_failure",
  "pull_request.failed",
  "pull_request.canceled",
  "pull_request.merged",
  "pull_request_batch.testing",
  "pull_request_batch.passed",
  "pull_request_batch.failed",
  "pull_request_batch.bisecting",
  "pull_request_batch.canceled",
  "queue.stalled",
  "queue.recovered",
  "test_case.status_changed",
  "test_case.quarantined",
  "test_case.unquarantined",
  "test_case.quarantining_setting_changed",
  "test_case.changes_omitted",
] as const;

export type EventName = (typeof eventNames)[number];

/** The possible subscriptions of an endpoint: one event, all events of one kind, or all events. */
export const subscriptions = [
  "*",
  "pull_request.*",
  "pull_request_batch.*",
  "queue.*",
  "test_case.*",
  ...eventNames,
] as const;

export type Subscription = (typeof subscriptions)[number];
