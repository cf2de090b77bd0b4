import { testEndpoints } from "../flaky/endpoints/test-endpoints.ts";
import { listAuditLog } from "./endpoints/audit-log.ts";
import { setImpactedTargets } from "./endpoints/impacted-targets.ts";
import { proveCommit } from "./endpoints/prove-commit.ts";
import {
  cancelPullRequest,
  explainPullRequest,
  getSubmittedPullRequest,
  getSubmittedPullRequests,
  listPullRequests,
  restartTestsOnPullRequest,
} from "./endpoints/pull-requests.ts";
import {
  createQueue,
  deleteQueue,
  examineQueue,
  getQueue,
  listQueues,
  updateQueue,
} from "./endpoints/queues.ts";
import { submitPullRequest } from "./endpoints/submit-pull-request.ts";
import { getMergeQueueTestingDetails } from "./endpoints/test-runs.ts";
import { cancelTry, tryPullRequest } from "./endpoints/tries.ts";
import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDelivery,
  updateWebhook,
} from "./endpoints/webhooks.ts";

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
  proveCommit,
  createQueue,
  deleteQueue,
  getQueue,
  listQueues,
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
