import { createBundleUpload } from "../flaky/endpoints/create-bundle-upload.ts";
import { exportQuarantines } from "../flaky/endpoints/export-quarantines.ts";
import { getQuarantineConfig } from "../flaky/endpoints/get-quarantine-config.ts";
import { getTestDetails } from "../flaky/endpoints/get-test-details.ts";
import { getTestSettings } from "../flaky/endpoints/get-test-settings.ts";
import { importQuarantines } from "../flaky/endpoints/import-quarantines.ts";
import { linkTicketToTestCase } from "../flaky/endpoints/link-ticket-to-test-case.ts";
import { listFailingTests } from "../flaky/endpoints/list-failing-tests.ts";
import { listQuarantinedTests } from "../flaky/endpoints/list-quarantined-tests.ts";
import { listUnhealthyTests } from "../flaky/endpoints/list-unhealthy-tests.ts";
import { setQuarantine } from "../flaky/endpoints/set-quarantine.ts";
import { updateTestSettings } from "../flaky/endpoints/update-test-settings.ts";
import { uploadTestResults } from "../flaky/endpoints/upload-test-results.ts";
import { listAuditLog } from "./endpoints/audit-log.ts";
import { setImpactedTargets } from "./endpoints/impacted-targets.ts";
import {
  cancelPullRequest,
  explainPullRequest,
  getSubmittedPullRequest,
  getSubmittedPullRequests,
  listPullRequests,
  restartTestsOnPullRequest,
} from "./endpoints/pull-requests.ts";
import { createQueue, deleteQueue, examineQueue, getQueue, updateQueue } from "./endpoints/queues.ts";
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
