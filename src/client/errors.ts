import type { Problem } from "./generated/api.ts";

export type FieldError = NonNullable<Problem["errors"]>[number];

/** The service answered that it did not carry out the request. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** The code of the problem, for programs: `QUEUE_NOT_FOUND`. Null when the answer is not the service's own. */
  readonly code: string | null;
  /** Describes the problem, and how to solve it, for people. */
  readonly detail: string;
  /** Errors in the request's fields. */
  readonly errors: readonly FieldError[];
  /** How long the service asks to wait before trying again. */
  readonly retryAfterMs: number | null;
  /** Identifies the request in the service's log. */
  readonly requestId: string | null;

  constructor(answer: Omit<ApiError, keyof Error>) {
    super(answer.detail);
    this.status = answer.status;
    this.code = answer.code;
    this.detail = answer.detail;
    this.errors = answer.errors;
    this.retryAfterMs = answer.retryAfterMs;
    this.requestId = answer.requestId;
  }
}

/** There was no answer: the service may or may not have carried out the request. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  readonly kind: "timeout" | "network";

  constructor(kind: "timeout" | "network", message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Whether trying again later makes sense. Every endpoint can be called twice. */
export function isTransient(error: unknown): error is ApiError | NetworkError {
  if (error instanceof NetworkError) return true;
  return error instanceof ApiError && (error.status >= 500 || error.status === 429);
}
