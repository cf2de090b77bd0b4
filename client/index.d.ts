/** The module that other packages import as `trainyard/client`. */
export { type AnswerOf, ApiError, type ClientOptions, createClient, type EndpointName, type MeasuredRepository, NetworkError, type RequestOf, type TrainyardClient, } from "./client.ts";
export type { Fetch } from "./fetch.ts";
export type * from "./generated/api.ts";
export type { RetryOptions } from "./retry.ts";
