/** Everything that an endpoint can be told of. */
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
  "test_case.status_changed",
  "test_case.quarantined",
  "test_case.unquarantined",
  "test_case.quarantining_setting_changed",
  "test_case.changes_omitted",
] as const;

export type EventName = (typeof eventNames)[number];

/** What an endpoint can ask for: an event, everything of one kind, or everything. */
export const subscriptions = [
  "*",
  "pull_request.*",
  "pull_request_batch.*",
  "test_case.*",
  ...eventNames,
] as const;

export type Subscription = (typeof subscriptions)[number];
