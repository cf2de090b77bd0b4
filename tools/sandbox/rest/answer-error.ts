import { checkError, checkResponse } from "../schema/api-description.ts";
import { isImplemented } from "../schema/operations.ts";
import type { Violation } from "../violation.ts";
import type { Answer } from "./answer-from-past.ts";
import { Refusal } from "./refusal.ts";

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
