import { GraphqlResponseError } from "@octokit/graphql";
import { RequestError } from "@octokit/request-error";
import { CodeHostError, toCodeHostError } from "../code-host-error.ts";

/** A time in which GitHub accepts no calls. */
export interface RateLimit {
  /** A primary limit counts REST or GraphQL calls; a secondary limit applies to all of them. */
  readonly of: "all" | "rest" | "graphql";
  readonly waitMs: number;
}

type Headers = Readonly<Record<string, string | number | undefined>>;

const usualWaitMs = 60_000;

/** The limit that a failed request has reached; null: none. */
export function limitOf(error: unknown): RateLimit | null {
  const failure = toCodeHostError(error);
  if (!(failure instanceof CodeHostError) || failure.kind !== "rate_limited") return null;
  return { of: scopeOf(headersOf(failure.cause)), waitMs: failure.retryAfterMs ?? usualWaitMs };
}

/** GraphQL answers 200 even when a limit is reached. Returns the error that REST's status would cause; null: no limit is reached. */
export function failureOfAnswer(response: { data: unknown; headers: Headers }): CodeHostError | null {
  const { errors } = (response.data ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return null;
  const limits = errors.filter((error) => error?.type === "RATE_LIMITED");
  if (limits.length === 0) return null;
  const data = { data: null, errors: limits } as never;
  const request = { method: "POST", url: "/graphql", headers: {}, query: "" } as const;
  return toCodeHostError(new GraphqlResponseError(request, response.headers as never, data)) as CodeHostError;
}

function headersOf(cause: unknown): Headers {
  if (cause instanceof RequestError) return cause.response?.headers ?? {};
  return cause instanceof GraphqlResponseError ? (cause.headers as Headers) : {};
}

function scopeOf(headers: Headers): RateLimit["of"] {
  const isPrimary = headers["retry-after"] === undefined && String(headers["x-ratelimit-remaining"]) === "0";
  if (!isPrimary) return "all";
  return headers["x-ratelimit-resource"] === "graphql" ? "graphql" : "rest";
}
