import { GraphqlResponseError } from "@octokit/graphql";
import { RequestError } from "@octokit/request-error";
import type { RefusalCause } from "../../engine/reasons/refusal-cause.ts";
import type { CodeHostErrorKind, CodeHostFailure } from "../../ports/code-host/code-host.ts";

/** An unexpected failure of GitHub. Its kind tells whether a retry makes sense. */
export class CodeHostError extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind: CodeHostErrorKind;
  readonly retryAfterMs: number | null;
  readonly refusal: RefusalCause | null;
  readonly isOfReading: boolean;

  constructor(
    kind: CodeHostErrorKind,
    message: string,
    retryAfterMs: number | null = null,
    cause?: unknown,
    refusal: RefusalCause | null = null,
  ) {
    super(message, { cause });
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.refusal = refusal;
    this.isOfReading = isReading(cause);
  }
}

/**
 * The failure of a read with "not found". It says nothing about what may be changed: during incidents, GitHub answers 404 for what exists.
 */
export class NotFoundByReading extends CodeHostError {
  override readonly isOfReading = true;

  constructor(message: string) {
    super("not_found", message);
  }
}

/** Whether this is the failure of a call that changes nothing. */
function isReading(error: unknown): boolean {
  if (error instanceof RequestError) return error.request.method === "GET";
  // A query may also begin with a brace.
  return error instanceof GraphqlResponseError && !/^\s*mutation\b/.test(error.request.query ?? "");
}

/** The kind of GitHub's failure, whether REST or GraphQL reports it; null: GitHub did not cause the error. */
export function kindOf(error: unknown): CodeHostErrorKind | null {
  const failure = toCodeHostError(error);
  return failure instanceof CodeHostError ? failure.kind : null;
}

/** The status of GitHub's response; null when there was no response, or for another kind of error. */
export function statusOf(error: unknown): number | null {
  return error instanceof RequestError && error.response !== undefined ? error.status : null;
}

/** GitHub's own message, without our address or the documentation link. */
export function messageOf(error: unknown): string {
  if (error instanceof RequestError) {
    const data = error.response?.data;
    if (isMessage(data)) return data.message;
    // A proxy's error page is not a message.
    if (error.response !== undefined) return `it answered ${error.status}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Classifies any error that a request threw. Errors that GitHub did not cause pass through unchanged. */
export function toCodeHostError(error: unknown): unknown {
  if (error instanceof GraphqlResponseError) return toGraphqlError(error);
  if (error instanceof CodeHostError || !(error instanceof RequestError)) return error;
  const message = messageOf(error);
  const status = statusOf(error);
  if (status === null || status >= 500) return new CodeHostError("unavailable", message, null, error);
  const retryAfterMs = rateLimitMs(error, status, message);
  if (retryAfterMs !== null) return new CodeHostError("rate_limited", message, retryAfterMs, error);
  if (status === 423) return new CodeHostError("busy", message, null, error);
  if (status === 401 || status === 403) return new CodeHostError("denied", message, null, error);
  if (status === 404 || status === 410) return new CodeHostError("not_found", message, null, error);
  return new CodeHostError("invalid", `GitHub answered ${status}: ${message}`, null, error);
}

const graphqlKinds: Readonly<Record<string, CodeHostErrorKind>> = {
  RATE_LIMITED: "rate_limited",
  FORBIDDEN: "denied",
  INSUFFICIENT_SCOPES: "denied",
  NOT_FOUND: "not_found",
  UNPROCESSABLE: "invalid",
};

/** Classifies one of the errors in a GraphQL response. */
export function toFieldError(error: { type?: string; message: string }): CodeHostError {
  return new CodeHostError(graphqlKinds[error.type ?? ""] ?? "unavailable", error.message);
}

/** An error that GitHub does not classify is a fault of GitHub, such as "Something went wrong while executing your query". */
function toGraphqlError(error: GraphqlResponseError<unknown>): CodeHostError {
  const [first] = error.errors ?? [];
  const kind = graphqlKinds[first?.type ?? ""] ?? "unavailable";
  const retryAfterMs = kind === "rate_limited" ? (statedPauseMs(error.headers) ?? minPauseMs) : null;
  return new CodeHostError(kind, first?.message ?? error.message, retryAfterMs, error);
}

const minPauseMs = 60_000;

/**
 * How long a rate limit asks us to wait; null when the response is not about a rate limit. Source: GitHub, "Best practices for
 * using the REST API": obey `retry-after`, else `x-ratelimit-reset` when nothing remains, else wait at least a minute.
 */
function rateLimitMs(error: RequestError, status: number, message: string): number | null {
  if (status !== 403 && status !== 429) return null;
  const stated = statedPauseMs(error.response?.headers ?? {});
  return stated ?? (status === 429 || /rate limit|abuse/i.test(message) ? minPauseMs : null);
}

function statedPauseMs(headers: Readonly<Record<string, string | number | undefined>>): number | null {
  const retryAfter = Number(headers["retry-after"]);
  if (retryAfter > 0) return retryAfter * 1000;
  if (String(headers["x-ratelimit-remaining"]) !== "0") return null;
  // Both times are by GitHub's clock.
  const now = Date.parse(String(headers.date)) || Date.now();
  const reset = Number(headers["x-ratelimit-reset"]) * 1000 - now;
  return Math.max(1000, Number.isFinite(reset) ? reset : minPauseMs);
}

function isMessage(data: unknown): data is { message: string } {
  return typeof data === "object" && data !== null && "message" in data && typeof data.message === "string";
}
