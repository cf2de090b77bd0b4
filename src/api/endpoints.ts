import { testEndpoints } from "../flaky/endpoints/test-endpoints.ts";

import { cancelPullRequest } from "./endpoints/pull-requests/cancel-pull-request.ts";
import { cancelTry } from "./endpoints/pull-requests/cancel-try.ts";
import { explainPullRequest } from "./endpoints/pull-requests/explain-pull-request.ts";
import { getMergeQueueTestingDetails } from "./endpoints/pull-requests/get-merge-queue-testing-details.ts";
import { getSubmittedPullRequest } from "./endpoints/pull-requests/get-submitted-pull-request.ts";
import { getSubmittedPullRequests } from "./endpoints/pull-requests/get-submitted-pull-requests.ts";
import { listPullRequests } from "./endpoints/pull-requests/list-pull-requests.ts";
import { restartTestsOnPullRequest } from "./endpoints/pull-requests/restart-tests-on-pull-request.ts";
import { setImpactedTargets } from "./endpoints/pull-requests/set-impacted-targets.ts";
import { submitPullRequest } from "./endpoints/pull-requests/submit-pull-request.ts";
import { tryPullRequest } from "./endpoints/pull-requests/try-pull-request.ts";
import { createQueue } from "./endpoints/queues/create-queue.ts";
import { deleteQueue } from "./endpoints/queues/delete-queue.ts";
import { examineQueue } from "./endpoints/queues/examine-queue.ts";
import { getQueue } from "./endpoints/queues/get-queue.ts";
import { listAuditLog } from "./endpoints/queues/list-audit-log.ts";
import { updateQueue } from "./endpoints/queues/update-queue.ts";
import { createWebhook } from "./endpoints/webhooks/create-webhook.ts";
import { deleteWebhook } from "./endpoints/webhooks/delete-webhook.ts";
import { listWebhookDeliveries } from "./endpoints/webhooks/list-webhook-deliveries.ts";
import { listWebhooks } from "./endpoints/webhooks/list-webhooks.ts";
import { resendWebhookDelivery } from "./endpoints/webhooks/resend-webhook-delivery.ts";
import { updateWebhook } from "./endpoints/webhooks/update-webhook.ts";

/** Every endpoint of /v1 by its name. */
export const endpoints = {
  submitPullRequest,
  tryPullRequest,
  cancelTry,
  cancelPullRequest,
  restartTestsOnPullRequest,
  getSubmittedPullRequest,
  getSubmittedPullRequests,
  listPullRequests,
  explainPullRequest,
  setImpactedTargets,
  getMergeQueueTestingDetails,
  createQueue,
  deleteQueue,
  getQueue,
  updateQueue,
  examineQueue,
  ...testEndpoints,
  listAuditLog,
  createWebhook,
  listWebhooks,
  updateWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  resendWebhookDelivery,
};

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

/** Returns the path of an endpoint below the service's own address. */
export function pathOf(name: EndpointName): string {
  const { path = name }: { readonly path?: string } = endpoints[name];
  return `/v1/${path}`;
}
