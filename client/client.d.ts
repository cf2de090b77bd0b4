import type { Fetch } from "./fetch.ts";
import type { Api } from "./generated/api.ts";
import { type RetryOptions } from "./retry.ts";
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
export declare function createClient(options: ClientOptions): TrainyardClient;
/** `path` is below /v1. For most endpoints it is the name. */
export declare function endpointUrl({ baseUrl }: ClientOptions, path: string): string;
export declare function headersOf(options: ClientOptions): Record<string, string>;
