import type * as z from "zod";
import type { EndpointName, Endpoints } from "../api/endpoints.ts";
import { exchange, type Fetch } from "./exchange.ts";
import { type RetryOptions, withRetries } from "./retry.ts";

export { ApiError, NetworkError } from "./errors.ts";

export interface ClientOptions {
  /** Where the service is: `https://trainyard.example.org`. */
  readonly baseUrl: string;
  readonly token?: string;
  /** Stands for a token when a workflow of a fork uploads impacted targets: the id of its run. */
  readonly forkedWorkflowRunId?: string;
  readonly fetch?: Fetch;
  readonly userAgent?: string;
  /** For each attempt. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Default: no retries. */
  readonly retry?: RetryOptions;
}

export type RequestOf<Name extends EndpointName> = z.input<Endpoints[Name]["body"]>;
export type AnswerOf<Name extends EndpointName> = z.output<Endpoints[Name]["answer"]>;

/** The endpoints of /v1. Each throws an ApiError when the service refuses, a NetworkError when it does not answer. */
export type TrainyardClient = {
  readonly [Name in EndpointName]: (request: RequestOf<Name>) => Promise<AnswerOf<Name>>;
};

export function createClient(options: ClientOptions): TrainyardClient {
  const { fetch = globalThis.fetch, timeoutMs = 30_000, retry = { attempts: 1 } } = options;
  const headers = headersOf(options);

  function call<Name extends EndpointName>(
    name: Name,
  ): (request: RequestOf<Name>) => Promise<AnswerOf<Name>> {
    return async (request) => {
      const posted = { url: endpointUrl(options, name), headers, body: JSON.stringify(request), timeoutMs };
      // What the service answers is what its schema says, so that it is not looked at again.
      return (await withRetries(() => exchange(fetch, posted), retry)) as AnswerOf<Name>;
    };
  }

  return {
    submitPullRequest: call("submitPullRequest"),
    cancelPullRequest: call("cancelPullRequest"),
    restartTestsOnPullRequest: call("restartTestsOnPullRequest"),
    getSubmittedPullRequest: call("getSubmittedPullRequest"),
    getSubmittedPullRequests: call("getSubmittedPullRequests"),
    listPullRequests: call("listPullRequests"),
    explainPullRequest: call("explainPullRequest"),
    getMergeQueueTestingDetails: call("getMergeQueueTestingDetails"),
    setImpactedTargets: call("setImpactedTargets"),
    createQueue: call("createQueue"),
    deleteQueue: call("deleteQueue"),
    getQueue: call("getQueue"),
    updateQueue: call("updateQueue"),
    listAuditLog: call("listAuditLog"),
    createWebhook: call("createWebhook"),
    listWebhooks: call("listWebhooks"),
    updateWebhook: call("updateWebhook"),
    deleteWebhook: call("deleteWebhook"),
    listWebhookDeliveries: call("listWebhookDeliveries"),
    resendWebhookDelivery: call("resendWebhookDelivery"),
  };
}

export function endpointUrl({ baseUrl }: ClientOptions, name: EndpointName): string {
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/${name}`;
}

export function headersOf({ token, forkedWorkflowRunId, userAgent }: ClientOptions): Record<string, string> {
  return {
    accept: "application/json",
    "content-type": "application/json",
    ...(userAgent ? { "user-agent": userAgent } : {}),
    ...(token ? { "x-api-token": token } : {}),
    ...(forkedWorkflowRunId ? { "x-forked-workflow-run-id": forkedWorkflowRunId } : {}),
  };
}
