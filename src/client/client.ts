import { exchange, exchangeText } from "./exchange.ts";
import type { Fetch } from "./fetch.ts";
import type { Api } from "./generated/api.ts";
import { type RetryOptions, withRetries } from "./retry.ts";

export { ApiError, NetworkError } from "./errors.ts";

export interface ClientOptions {
  /** The address of the service: `https://trainyard.example.org`. */
  readonly baseUrl: string;
  readonly token?: string;
  /** Replaces a token where an endpoint accepts it: the token that GitHub issues to a workflow by OpenID Connect. */
  readonly workflowToken?: string;
  /** Replaces a token when a workflow of a fork uploads impacted targets or test results: the id of its run. */
  readonly forkedWorkflowRunId?: string;
  readonly fetch?: Fetch;
  readonly userAgent?: string;
  /** For each attempt, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Default: no retries. */
  readonly retry?: RetryOptions;
}

export type EndpointName = keyof Api;
export type RequestOf<Name extends EndpointName> = Api[Name]["request"];
export type AnswerOf<Name extends EndpointName> = Api[Name]["answer"];

/** The repository to measure, as `owner/name`, and its host. */
export interface MeasuredRepository {
  readonly repo: string;
  readonly repoHost: string;
}

/** The endpoints of /v1. Each throws an ApiError when the service refuses, and a NetworkError when it does not answer. */
export type TrainyardClient = {
  readonly [Name in EndpointName]: (request: RequestOf<Name>) => Promise<AnswerOf<Name>>;
} & {
  /** Measures the queues of the token's organisation, or of one repository, as text for Prometheus. */
  readonly getMergeQueueMetrics: (of?: MeasuredRepository) => Promise<string>;
};

export function createClient(options: ClientOptions): TrainyardClient {
  const { fetch = globalThis.fetch, timeoutMs = 30_000, retry = { attempts: 1 } } = options;
  const headers = headersOf(options);

  function call<Name extends EndpointName>(
    name: Name,
    path: string = name,
  ): (request: RequestOf<Name>) => Promise<AnswerOf<Name>> {
    return async (request) => {
      const url = endpointUrl(options, path);
      const posted = { method: "POST", url, headers, body: JSON.stringify(request), timeoutMs } as const;
      // The service's answers match its schema, so they are not validated again.
      return (await withRetries(() => exchange(fetch, posted), retry)) as AnswerOf<Name>;
    };
  }

  return {
    submitPullRequest: call("submitPullRequest"),
    tryPullRequest: call("tryPullRequest"),
    cancelTry: call("cancelTry"),
    cancelPullRequest: call("cancelPullRequest"),
    restartTestsOnPullRequest: call("restartTestsOnPullRequest"),
    getSubmittedPullRequest: call("getSubmittedPullRequest"),
    getSubmittedPullRequests: call("getSubmittedPullRequests"),
    listPullRequests: call("listPullRequests"),
    explainPullRequest: call("explainPullRequest"),
    getMergeQueueTestingDetails: call("getMergeQueueTestingDetails"),
    proveCommit: call("proveCommit"),
    setImpactedTargets: call("setImpactedTargets"),
    createQueue: call("createQueue"),
    deleteQueue: call("deleteQueue"),
    getQueue: call("getQueue"),
    listQueues: call("listQueues"),
    updateQueue: call("updateQueue"),
    examineQueue: call("examineQueue"),
    setQuarantine: call("setQuarantine", "flaky-tests/set-quarantine"),
    linkTicketToTestCase: call("linkTicketToTestCase", "flaky-tests/link-ticket-to-test-case"),
    exportQuarantines: call("exportQuarantines", "flaky-tests/export-quarantines"),
    importQuarantines: call("importQuarantines", "flaky-tests/import-quarantines"),
    getTestSettings: call("getTestSettings", "flaky-tests/get-test-settings"),
    updateTestSettings: call("updateTestSettings", "flaky-tests/update-test-settings"),
    createBundleUpload: call("createBundleUpload", "metrics/createBundleUpload"),
    getQuarantineConfig: call("getQuarantineConfig", "metrics/getQuarantineConfig"),
    uploadTestResults: call("uploadTestResults", "flaky-tests/upload-results"),
    listAuditLog: call("listAuditLog"),
    createWebhook: call("createWebhook"),
    listWebhooks: call("listWebhooks"),
    updateWebhook: call("updateWebhook"),
    deleteWebhook: call("deleteWebhook"),
    listWebhookDeliveries: call("listWebhookDeliveries"),
    resendWebhookDelivery: call("resendWebhookDelivery"),
    listQuarantinedTests: call("listQuarantinedTests", "flaky-tests/list-quarantined-tests"),
    listUnhealthyTests: call("listUnhealthyTests", "flaky-tests/list-unhealthy-tests"),
    listFailingTests: call("listFailingTests", "flaky-tests/list-failing-tests"),
    getTestDetails: call("getTestDetails", "flaky-tests/get-test-details"),
    getMergeQueueMetrics: (of) => {
      const query = of ? `?${new URLSearchParams({ ...of })}` : "";
      const url = endpointUrl(options, "getMergeQueueMetrics") + query;
      const asked = { method: "GET", url, headers: { ...headers, accept: "text/plain" }, timeoutMs } as const;
      return withRetries(() => exchangeText(fetch, asked), retry);
    },
  };
}

/** `path` is below /v1. For most endpoints it is the name. */
export function endpointUrl({ baseUrl }: ClientOptions, path: string): string {
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/${path}`;
}

export function headersOf(options: ClientOptions): Record<string, string> {
  const { token, workflowToken, forkedWorkflowRunId, userAgent } = options;
  return {
    accept: "application/json",
    "content-type": "application/json",
    ...(userAgent ? { "user-agent": userAgent } : {}),
    ...(token ? { "x-api-token": token } : {}),
    ...(workflowToken ? { authorization: `Bearer ${workflowToken}` } : {}),
    ...(forkedWorkflowRunId ? { "x-forked-workflow-run-id": forkedWorkflowRunId } : {}),
  };
}
