import type { Violation } from "../request-log.ts";
import { checkError, checkResponse } from "../schema/api-description.ts";
import { isImplemented } from "../schema/operations.ts";
import type { Answer } from "./answer-from-past.ts";

/**
 * One entry of a validation error. For `code` see
 * https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed
 */
interface ErrorDetail {
  resource: string;
  field?: string;
  code: string;
  message?: string;
}

/** A response other than success, thrown where its cause is found. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: ErrorDetail[] | undefined;
  /** The address of a redirect. */
  readonly location: string | undefined;

  constructor(status: number, message: string, errors?: ErrorDetail[], location?: string) {
    super(message);
    this.status = status;
    this.errors = errors;
    this.location = location;
  }
}

export const suspended = (): Refusal => new Refusal(403, "This installation has been suspended");
export const readOnly = (): Refusal => new Refusal(403, "Repository was archived so is read-only.");

/** https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects */
export const moved = (method: string, location: string): Refusal =>
  method === "GET" || method === "HEAD"
    ? new Refusal(301, "Moved Permanently", undefined, location)
    : new Refusal(307, "Temporary Redirect", undefined, location);

export const notFound = (message = "Not Found"): Refusal => new Refusal(404, message);
export const validationFailed = (detail: ErrorDetail): Refusal =>
  new Refusal(422, "Validation Failed", [detail]);

/** Errors that GitHub sends for any operation, although its description lists them only for some. */
const COMMON_ERRORS = new Set([301, 307, 400, 401, 403, 404, 422, 501]);
const DOCUMENTATION = "https://docs.github.com/rest";

/** The response to a request that was not carried out. Anything but a refusal is a fault of the sandbox, and reported. */
export function answerError(
  error: unknown,
  operationId: string | null,
  report: (violation: Violation) => void,
): Answer {
  if (!(error instanceof Refusal)) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report({ kind: "response", subject: operationId ?? "unknown", detail });
    return {
      status: 500,
      body: { message: "Server Error", documentation_url: DOCUMENTATION, status: "500" },
    };
  }
  const { status, message, errors, location } = error;
  const body = {
    message,
    ...(location ? { url: location } : {}),
    ...(errors ? { errors } : {}),
    documentation_url: DOCUMENTATION,
    status: String(status),
  };
  if (operationId !== null && isImplemented(operationId) && status !== 500) {
    const problem = COMMON_ERRORS.has(status) ? checkError(body) : checkResponse(operationId, status, body);
    if (problem !== null) report({ kind: "response", subject: operationId, detail: `${status}: ${problem}` });
  }
  return { status, body, ...(location ? { headers: { location } } : {}) };
}
