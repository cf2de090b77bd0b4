import { cancelPullRequest } from "./endpoints/cancel-pull-request.ts";
import { cancelTry } from "./endpoints/cancel-try.ts";
import { createBundleUpload } from "./endpoints/create-bundle-upload.ts";
import { createQueue } from "./endpoints/create-queue.ts";
import { createWebhook } from "./endpoints/create-webhook.ts";
import { deleteQueue } from "./endpoints/delete-queue.ts";
import { deleteWebhook } from "./endpoints/delete-webhook.ts";
import { examineQueue } from "./endpoints/examine-queue.ts";
import { explainPullRequest } from "./endpoints/explain-pull-request.ts";
import { exportQuarantines } from "./endpoints/export-quarantines.ts";
import { getMergeQueueTestingDetails } from "./endpoints/get-merge-queue-testing-details.ts";
import { getQuarantineConfig } from "./endpoints/get-quarantine-config.ts";
import { getQueue } from "./endpoints/get-queue.ts";
import { getSubmittedPullRequest } from "./endpoints/get-submitted-pull-request.ts";
import { getSubmittedPullRequests } from "./endpoints/get-submitted-pull-requests.ts";
import { getTestDetails } from "./endpoints/get-test-details.ts";
import { getTestSettings } from "./endpoints/get-test-settings.ts";
import { importQuarantines } from "./endpoints/import-quarantines.ts";
import { linkTicketToTestCase } from "./endpoints/link-ticket-to-test-case.ts";
import { listAuditLog } from "./endpoints/list-audit-log.ts";
import { listFailingTests } from "./endpoints/list-failing-tests.ts";
import { listPullRequests } from "./endpoints/list-pull-requests.ts";
import { listQuarantinedTests } from "./endpoints/list-quarantined-tests.ts";
import { listUnhealthyTests } from "./endpoints/list-unhealthy-tests.ts";
import { listWebhookDeliveries } from "./endpoints/list-webhook-deliveries.ts";
import { listWebhooks } from "./endpoints/list-webhooks.ts";
import { resendWebhookDelivery } from "./endpoints/resend-webhook-delivery.ts";
import { restartTestsOnPullRequest } from "./endpoints/restart-tests-on-pull-request.ts";
import { setImpactedTargets } from "./endpoints/set-impacted-targets.ts";
import { setQuarantine } from "./endpoints/set-quarantine.ts";
import { submitPullRequest } from "./endpoints/submit-pull-request.ts";
import { tryPullRequest } from "./endpoints/try-pull-request.ts";
import { updateQueue } from "./endpoints/update-queue.ts";
import { updateTestSettings } from "./endpoints/update-test-settings.ts";
import { updateWebhook } from "./endpoints/update-webhook.ts";
import { uploadTestResults } from "./endpoints/upload-test-results.ts";

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
  uploadTestResults,
  createBundleUpload,
  getQuarantineConfig,
  setQuarantine,
  linkTicketToTestCase,
  exportQuarantines,
  importQuarantines,
  getTestSettings,
  updateTestSettings,
  listAuditLog,
  createWebhook,
  listWebhooks,
  updateWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  resendWebhookDelivery,
  listQuarantinedTests,
  listUnhealthyTests,
  listFailingTests,
  getTestDetails,
};

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

/** Returns the path of an endpoint below the service's own address. */
export function pathOf(name: EndpointName): string {
  const { path = name }: { readonly path?: string } = endpoints[name];
  return `/v1/${path}`;
}
